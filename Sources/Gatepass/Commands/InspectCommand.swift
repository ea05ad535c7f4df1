import AppStore
import ArgumentParser
import EntitlementAPI
import Entitlements
import Foundation

/// `gatepass inspect`: prints a signed text, its kind, and whether it verifies. If not, it names the check that fails.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Tell what a JWS is and whether it verifies, and which check fails.",
        discussion: "For example: gatepass inspect - < purchase.jws")

    @Argument(help: "The JWS, or - to read it from the standard input.")
    var jws: String

    @OptionGroup var installation: InstallationOptions

    /// Throws the exit status 1 if the text does not verify.
    func run() async throws {
        let text = (jws == "-" ? String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self) : jws)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let kept = installation.installation
        let root = kept.rootFile
        let isInstalled = FileManager.default.fileExists(atPath: root)
        let startup = try Startup(
            installation.options, overrides: isInstalled ? ["apple.trust_roots": roots(with: root)] : [:])
        let apps = try startup.catalogueFile().catalogue.apps
        let verifier = EvidenceVerifier(
            apps: Set(apps.map { StoreApp(bundleId: $0.id.text, appAppleId: $0.appleID) }),
            roots: try Startup.reporting { try startup.files.trustRoots(startup.settings) })
        show(text)
        let clock = kept.runningAddress == nil ? WallClock.real : kept.clock.wallClock
        try judge(text, with: verifier, at: clock.now().milliseconds)
    }

    private func roots(with root: String) -> String { "\(Settings.Apple.defaultTrustRoot),\(root)" }

    /// Prints header and payload, whether the text verifies or not. A text of another form has none.
    private func show(_ text: String) {
        switch TextForm(text) {
        case .signed, nil: break
        case .receipt, .decoded, .encoded, .quoted: return
        }
        let names = ["header", "payload"]
        for (name, segment) in zip(names, text.split(separator: ".", omittingEmptySubsequences: false)) {
            print("\(name): \(Self.readable(segment))")
        }
    }

    private func judge(_ text: String, with verifier: EvidenceVerifier, at now: Int64) throws {
        let attempts: [(kind: String, verify: () throws(EvidenceError) -> Void)] = [
            ("transaction", { () throws(EvidenceError) in _ = try verifier.verify(SignedTransaction(text), at: now) }),
            ("renewal info", { () throws(EvidenceError) in _ = try verifier.verify(SignedRenewalInfo(text), at: now) }),
            (
                "notification",
                { () throws(EvidenceError) in _ = try verifier.verify(SignedNotification(text), at: now) }
            ),
            (
                "app transaction",
                { () throws(EvidenceError) in _ = try verifier.verify(SignedAppTransaction(text), at: now) }
            ),
        ]
        var refusal: EvidenceError?
        for attempt in attempts {
            do throws(EvidenceError) {
                try attempt.verify()
                return print("verdict: a genuine \(attempt.kind)")
            } catch {
                guard error.reason == .wrongPayloadKind else {
                    refusal = error
                    break
                }
                refusal = refusal ?? error
            }
        }
        guard let refusal else { return }
        print("verdict: refused, \(refusal.code): \(refusal.reason.rawValue)\n\(refusal.detail(about: text))")
        throw ExitCode.failure
    }

    private static func readable(_ segment: Substring) -> String {
        var base64 = segment.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64), let object = try? JSONSerialization.jsonObject(with: data),
            let pretty = try? JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
        else { return "(not JSON in base64url)" }
        return String(decoding: pretty, as: UTF8.self)
    }
}
