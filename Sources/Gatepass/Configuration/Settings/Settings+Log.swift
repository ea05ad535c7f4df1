import Logging

extension Settings {
    /// `log`: the lines on the standard error stream.
    struct Log: Hashable, Sendable {
        /// The least important level that is written.
        enum Level: String, Hashable, Sendable, CaseIterable {
            case debug
            case info
            case warning
            case error

            /// This level, as the logger has it.
            var ofLogger: Logger.Level {
                switch self {
                case .debug: .debug
                case .info: .info
                case .warning: .warning
                case .error: .error
                }
            }
        }

        let level: Level
        /// The form of the lines; nil if no source names one: words on a terminal, else JSON.
        let form: LogForm?

        init(_ reader: inout SettingsReader) {
            level = reader.choice("log.level", default: Level.info)
            let form = reader.choice("log.format", default: LogForm.json)
            self.form = reader.origins["log.format"] == .builtIn ? nil : form
        }
    }
}
