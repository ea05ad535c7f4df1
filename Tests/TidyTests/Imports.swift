/// Which module may import what: the walls of the house (`ARCHITECTURE.md`).
enum Imports {
    static let allowed: [String: Set<String>] = [
        "Entitlements": [],
        "StrictJSON": [],
        "StripeBilling": ["Entitlements", "StrictJSON", "Crypto", "FoundationEssentials"],
        "AppStore": [
            "Entitlements", "StrictJSON", "X509", "SwiftASN1", "Crypto", "FoundationEssentials", "Synchronization",
        ],
        "StoreSimulator": [
            "AppStore", "Entitlements", "X509", "SwiftASN1", "Crypto", "CryptoExtras", "FoundationEssentials",
        ],
        "MariaDB": ["CMariaDB", "Logging", "DequeModule", "Synchronization", "Glibc"],
        "LedgerStore": ["Entitlements", "MariaDB", "Crypto", "Logging", "DequeModule", "Synchronization"],
        "EntitlementAPI": [
            "AppStore", "CZlib", "Entitlements", "LedgerStore", "StrictJSON", "StripeBilling", "Hummingbird",
            "HummingbirdCore", "HTTPTypes", "NIOCore", "NIOHTTP1", "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "JWTKit",
            "Crypto", "Logging",
            "Metrics",
            "Synchronization",
        ],
        "Dashboard": [
            "EntitlementAPI", "Entitlements", "LedgerStore", "Hummingbird", "HTTPTypes", "NIOCore", "NIOPosix",
            "Crypto", "CryptoExtras", "Synchronization",
        ],
    ]
    /// What wires everything together, and what measures it, may import anything.
    static let unbound: Set<String> = ["Benchmarks", "Gatepass"]

    private static let kinds: Set<String> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]

    /// The modules that a file imports.
    static func modules(in text: String) -> [(name: String, line: Int)] {
        let tokens = SwiftTokens.code(of: text)
        return tokens.indices.dropLast().compactMap { index in
            guard tokens[index].text == "import", tokens[index].kind == .word else { return nil }
            var next = index + 1
            if kinds.contains(tokens[next].text), next + 1 < tokens.count { next += 1 }
            return (tokens[next].text, tokens[index].line)
        }
    }

    /// What `file` imports and its module may not; a module without a row may not exist.
    static func findings(in file: TextFile) -> [String] {
        let module = String(file.module.dropFirst("Sources/".count))
        guard !unbound.contains(module) else { return [] }
        guard let allowed = allowed[module] else { return ["\(file.path): \(module) has no row in Imports.swift"] }
        return modules(in: file.text).filter { !allowed.contains($0.name) }.map {
            "\(file.path):\($0.line): \(module) must not import \($0.name)"
        }
    }
}
