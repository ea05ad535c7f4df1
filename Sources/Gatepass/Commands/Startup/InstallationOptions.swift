import ArgumentParser

/// The options of every command, and the directory of the development installation.
struct InstallationOptions: ParsableArguments {
    @OptionGroup var options: CommandOptions

    @Option(
        help: """
            The development installation's directory (default: \(Installation.defaultDirectory)). If it is named, the \
            command is for the development server that runs there, whatever the settings say.
            """)
    var dataDir: String?

    /// The installation in the directory, which may not be there.
    var installation: Installation { Installation(path: dataDir ?? Installation.defaultDirectory) }

    /// Prepares a command that only reads. It names its server only if another one could be meant too. Throws the exit
    /// status 1 if a fault was printed.
    func startup() throws -> Startup { try startup(isAct: false) }

    /// Prepares a command that acts, which first names its server on the standard error stream. Throws the exit status
    /// 1 if a fault was printed.
    func startupToAct() throws -> Startup { try startup(isAct: true) }

    private func startup(isAct: Bool) throws -> Startup {
        let target = try Startup.reporting {
            let lookup = FileLookup.ofProcess().around(config: options.config)
            let inputs = try SettingsInputs.ofProcess(config: options.config, lookup: lookup)
            return try Target(dataDir: dataDir, settings: LoadedSettings.effective(from: inputs).settings)
        }
        let startup = try Startup(options, for: target)
        guard isAct || target.bystander != nil else { return startup }
        for line in target.lines(startup.settings) { StandardError.print(line) }
        return startup
    }
}
