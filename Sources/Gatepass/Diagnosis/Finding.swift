/// The result of one check of `gatepass doctor`.
struct Finding: Hashable, Sendable {
    /// The outcome of the check. The raw value is written to JSON.
    enum Result: String, Hashable, Sendable, CaseIterable {
        case ok
        /// Nothing is broken, but an operator should look.
        case warning
        case wrong
        /// The check could not be done.
        case notDone = "not_done"
    }

    let result: Result
    /// The state that was found, in words.
    let text: String
    /// The remedy, in the imperative; nil if there is none, or if `text` has it.
    let advice: String?

    private init(_ result: Result, _ text: String, _ advice: String?) {
        self.result = result
        self.text = text
        self.advice = advice
    }

    static func ok(_ text: String) -> Finding { Finding(.ok, text, nil) }
    static func warning(_ text: String, advice: String?) -> Finding { Finding(.warning, text, advice) }
    static func wrong(_ text: String, advice: String?) -> Finding { Finding(.wrong, text, advice) }
    static func notDone(_ text: String) -> Finding { Finding(.notDone, text, nil) }
}
