import Foundation

/// The oldest versions that may be built with, because earlier ones have known holes.
enum Versions {
    static let floors: [String: String] = [
        "swift-nio": "2.100.0", "swift-nio-http2": "1.44.0", "swift-crypto": "4.5.1", "swift-asn1": "1.7.1",
    ]

    private struct Resolved: Decodable {
        struct Pin: Decodable {
            struct State: Decodable {
                let version: String?
            }

            let identity: String
            let state: State
        }

        let pins: [Pin]
    }

    /// What `Package.resolved` says, by package.
    static func resolved(_ text: String) throws -> [String: String] {
        let pins = try JSONDecoder().decode(Resolved.self, from: Data(text.utf8)).pins
        return Dictionary(pins.map { ($0.identity, $0.state.version ?? "0") }, uniquingKeysWith: { first, _ in first })
    }

    /// The lower bounds that a manifest gives, by package.
    static func required(byManifest text: String) -> [String: String] {
        let code = SwiftTokens.code(of: text)
        var bounds: [String: String] = [:]
        for index in code.indices.dropLast(6) {
            guard code[index].text == "url", code[index + 2].kind == .string, code[index + 4].text == "from",
                code[index + 6].kind == .string, let name = code[index + 2].text.split(separator: "/").last
            else { continue }
            bounds[String(name)] = code[index + 6].text
        }
        return bounds
    }

    static func findings(in versions: [String: String]) -> [String] {
        floors.sorted { $0.key < $1.key }.compactMap { package, floor in
            guard let version = versions[package], isOlder(version, than: floor) else { return nil }
            return "\(package) \(version) is older than \(floor)"
        }
    }

    private static func isOlder(_ version: String, than floor: String) -> Bool {
        let numbers = { (text: String) in text.split { $0 == "." || $0 == "-" }.prefix(3).map { Int($0) ?? 0 } }
        return numbers(version).lexicographicallyPrecedes(numbers(floor))
    }
}
