import Foundation
import StoreSimulator
import Support

/// OpenSSL's own OCSP responder, which speaks for one issuer about one certificate.
struct OpenSSLResponder {
    /// What it says of the certificate.
    enum Verdict { case good, revoked, unknown }

    private let directory: String
    private let port: Int
    private let serial: String
    private let expiry = "300101000000Z"

    /// - Parameters:
    ///   - isDelegated: Signs by a certificate that the issuer made for the purpose, as Apple does, and not by the
    ///     issuer's own key (RFC 6960 §4.2.2.2).
    /// - Throws: `ChildProcess.Failure`, and what the file system refuses.
    init(of certificate: String, issuer: String, key: String, at port: Int, isDelegated: Bool) throws {
        directory = try PrivateMariaDB.makeDirectory()
        self.port = port
        let files = directory
        let run = { (words: [String]) in try ChildProcess.run(["openssl"] + words, log: files + "/openssl.log") }
        for (name, text) in [("certificate.pem", certificate), ("issuer.pem", issuer), ("issuer.key", key)] {
            try EndToEndServer.write(text, to: "\(files)/\(name)")
        }
        try ChildProcess.run(
            ["openssl", "x509", "-in", files + "/certificate.pem", "-noout", "-serial"], log: files + "/serial")
        serial = try String(contentsOfFile: files + "/serial", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines).replacing("serial=", with: "")
        guard isDelegated else {
            try EndToEndServer.write(issuer, to: files + "/signer.pem")
            try EndToEndServer.write(key, to: files + "/signer.key")
            return
        }
        try EndToEndServer.write("extendedKeyUsage = OCSPSigning\n", to: files + "/usage")
        try run([
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            files + "/signer.key", "-subj", "/CN=Responder", "-out", files + "/request.pem",
        ])
        try run([
            "x509", "-req", "-in", files + "/request.pem", "-CA", files + "/issuer.pem", "-CAkey",
            files + "/issuer.key", "-days", "30", "-extfile", files + "/usage", "-out", files + "/signer.pem",
        ])
    }

    /// Answers while `body` runs. Throws what `body` throws, and `ChildProcess.Failure`.
    func answering<Answer>(_ verdict: Verdict, _ body: () async throws -> Answer) async throws -> Answer {
        let line =
            switch verdict {
            case .good: "V\t\(expiry)\t\t\(serial)\tunknown\t/CN=Known\n"
            case .revoked: "R\t\(expiry)\t251101000000Z,keyCompromise\t\(serial)\tunknown\t/CN=Known\n"
            case .unknown: "V\t\(expiry)\t\t7F\tunknown\t/CN=Other\n"
            }
        try EndToEndServer.write(line, to: directory + "/index")
        let log = "\(directory)/log-\(EndToEnd.newID())"
        let responder = try ChildProcess.start(
            [
                "openssl", "ocsp", "-index", directory + "/index", "-port", "\(port)", "-ndays", "1", "-CA",
                directory + "/issuer.pem", "-rsigner", directory + "/signer.pem", "-rkey", directory + "/signer.key",
            ], log: log)
        defer {
            responder.send(SIGKILL)
            responder.waitForEnd()
        }
        let start = ContinuousClock.now
        // Lost: that the log is not there yet.
        while (try? String(contentsOfFile: log, encoding: .utf8))?.contains("waiting for OCSP") != true {
            guard start.duration(to: .now) < .seconds(30) else {
                throw CocoaError(.fileReadNoSuchFile)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return try await body()
    }
}
