import EntitlementAPI
import Entitlements
import Foundation
import StoreSimulator

/// The faults that the simulated App Store makes. They stand in a file, because `gatepass simulate` delivers
/// notifications by itself, and last until the server starts again.
extension SimulatedStore {
    /// Makes these faults from now on. Throws an error of the file system.
    func make(_ faults: SimulatedFaults) throws {
        try installation.keep(faults)
    }

    /// Apple's errors by their status, where a status has one only.
    private static let errors: [Int: (code: Int, message: String)] = [
        429: (4_290_000, "Rate limit exceeded."), 500: (5_000_000, "An unknown error occurred."),
    ]

    /// The answer that a fault gives in place of Apple's; nil if there is none. Waits as long as the fault says. Throws
    /// an error of the file system.
    func faultyAnswer() async throws -> SimulatedAnswer? {
        guard var faults = installation.faults else { return nil }
        if let delay = faults.delay { try await Task.sleep(for: .milliseconds(delay)) }
        guard let status = faults.status else { return nil }
        if let times = faults.times {
            faults.times = times - 1
            if times == 1 { (faults.status, faults.times) = (nil, nil) }
            try installation.keep(faults)
        }
        let retryAfter = faults.retryAfter.map { String(Surroundings.now().milliseconds + Int64($0)) }
        let body = try Self.errors[status].map { try json(["errorCode": $0.code, "errorMessage": $0.message]) } ?? []
        return SimulatedAnswer(status: status, body: body, retryAfter: retryAfter)
    }
}

extension Installation {
    /// The folder of the notifications that Apple sent, or tried to send, a file for each `notificationUUID`.
    var notified: URL { directory.appendingPathComponent("notified") }

    private var faultsFile: URL { directory.appendingPathComponent("faults.json") }

    /// The faults of the simulated App Store; nil without any.
    var faults: SimulatedFaults? {
        guard let data = try? Data(contentsOf: faultsFile) else { return nil }  // there are none
        return try? JSONDecoder().decode(SimulatedFaults.self, from: data)  // only this process writes it
    }

    /// Writes the faults down. Throws an error of the file system.
    func keep(_ faults: SimulatedFaults) throws {
        try write(String(decoding: try JSONEncoder().encode(faults), as: UTF8.self), to: faultsFile)
    }

    /// Ends all faults.
    func endFaults() {
        try? FileManager.default.removeItem(at: faultsFile)  // there were none
    }
}
