import AppStore
import Foundation
import StoreSimulator
import Support
import Testing
import X509

/// Apple's own library for Python, in a virtual environment that `scripts/apple-library/run` makes.
struct AppleLibrary {
    /// A text, and as what it is to be verified.
    struct Question: Encodable {
        let name: String
        let kind: String
        let environment: String
        let text: String
    }

    /// What the library says of a text: its status, and what it decoded.
    struct Answer: Decodable {
        let status: String
        let values: [String: String]
    }

    /// All questions of one run.
    private struct Questions: Encodable {
        let root: String
        let bundleID: String
        let appleID: Int64
        let texts: [Question]

        enum CodingKeys: String, CodingKey {
            case root
            case bundleID = "bundle_id"
            case appleID = "apple_id"
            case texts
        }
    }

    /// Verifies `texts` of one app under `root`; the answers by name. Throws when the library cannot be run.
    static func verify(
        _ texts: [Question], under root: Certificate, of bundleID: String, _ appleID: Int64
    ) throws -> [String: Answer] {
        let folder = URL(fileURLWithPath: "/tmp/gatepass-apple-\(UInt32.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // it is under /tmp
        let questions = folder.appendingPathComponent("questions")
        let answers = folder.appendingPathComponent("answers")
        let log = folder.appendingPathComponent("log")
        let asked = Questions(
            root: Data(try root.der).base64EncodedString(), bundleID: bundleID, appleID: appleID, texts: texts)
        try JSONEncoder().encode(asked).write(to: questions)
        do {
            try ChildProcess.run(
                [TestRun.repository + "/scripts/apple-library/run", "verify.py", questions.path, answers.path],
                log: log.path)
        } catch {
            // Nothing was written yet.
            Issue.record("\((try? String(contentsOf: log, encoding: .utf8)) ?? "")")
            throw error
        }
        return try JSONDecoder().decode([String: Answer].self, from: Data(contentsOf: answers))
    }
}

/// The members of a payload of ours by their names, which are Apple's, written as the library's are.
enum PayloadValues {
    static func of(_ payload: Any, environment: String? = nil, named name: String = "environment") -> [String: String] {
        var values: [String: String] = [:]
        for child in Mirror(reflecting: payload).children {
            guard let label = child.label, label != "unreadable", let text = written(child.value) else { continue }
            values[label] = text
        }
        if let environment { values[name] = environment }
        return values
    }

    /// Nil where there is nothing.
    private static func written(_ value: Any) -> String? {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional { return mirror.children.first.flatMap { written($0.value) } }
        switch value {
        case let list as [String]: return list.isEmpty ? nil : list.joined(separator: ",")
        case let text as SignedTransaction: return text.text
        case let text as SignedRenewalInfo: return text.text
        case let text as SignedAppTransaction: return text.text
        case let known as any RawRepresentable: return "\(known.rawValue)"
        default: return "\(value)"
        }
    }
}
