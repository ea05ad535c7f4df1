/// The id of a request, which its answer, its problem and the log line hold (`api.md`, "Conventions").
enum RequestID {
    /// True if a client's request id may be echoed: it matches `[A-Za-z0-9._-]{1,64}`.
    static func isAcceptable(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...64).contains(bytes.count)
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
