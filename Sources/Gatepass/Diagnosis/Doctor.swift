import AsyncHTTPClient
import EntitlementAPI
import Entitlements
import LedgerStore
import MariaDB

/// The checks of `gatepass doctor`. They only read, so they run beside servers at any time.
///
/// No check waits without end: a connection, a statement and a request each have a time-out. Once the database was
/// found to be away or empty, the other checks that need it or its tables are not tried.
struct Doctor: Sendable {
    let startup: Startup
    let pool: Pool
    let client: HTTPClient

    /// A check, by the name that its line begins with.
    private struct Check: Sendable {
        let name: String
        var needs = Need.tables
        let find: @Sendable (Doctor) async throws -> Finding
    }

    /// The parts of the world that a check needs, each one those before.
    private enum Need: Int {
        case nothing, database, tables
    }

    private static let checks = [
        Check(name: "settings", needs: .nothing) { $0.settings() },
        Check(name: "database", needs: .database) { try await $0.database() },
        Check(name: "cluster", needs: .database) { try await $0.cluster() },
        Check(name: "durability", needs: .database) { try await $0.durability() },
        Check(name: "schema", needs: .database) { try await $0.schema() },
        Check(name: "clock", needs: .database) { try await $0.clock() },
        Check(name: "trust_roots", needs: .nothing) { $0.trustRoots() },
        Check(name: "signed_texts") { try await $0.signedTexts() },
        Check(name: "catalogue") { try await $0.catalogue() },
        Check(name: "products") { try await $0.products() },
        Check(name: "login", needs: .nothing) { await $0.login() },
        Check(name: "sealed_keys") { try await $0.sealedKeys() },
        Check(name: "apple") { try await $0.apple() },
        Check(name: "apple_key") { try await $0.appleKey() },
        Check(name: "stripe") { try await $0.stripe() },
        Check(name: "deliveries") { try await $0.deliveries() },
        Check(name: "jobs") { try await $0.jobs() },
        Check(name: "sandbox") { try await $0.sandbox() },
    ]

    /// Carries out all checks.
    func diagnosis() async -> Diagnosis {
        var findings: [(check: String, finding: Finding)] = []
        var missing: (need: Need, words: String)?
        for check in Self.checks {
            if let missing, check.needs.rawValue >= missing.need.rawValue {
                findings.append((check.name, .notDone(missing.words)))
                continue
            }
            let finding: Finding
            do {
                finding = try await check.find(self)
            } catch let failure as ServiceFailure where failure.isPassing && check.name != "database" {
                finding = .wrong("the database did not answer this question: \(failure)", advice: nil)
            } catch let failure as ServiceFailure where failure.isPassing {
                missing = (.database, "the database cannot be reached")
                finding = .wrong(
                    "the database cannot be reached: \(failure)",
                    advice: failure.remedy
                        ?? "see that it runs, and that database.socket or database.host, user and password are right")
            } catch {
                finding = .wrong("\(error)", advice: (error as? ServiceFailure)?.remedy)
            }
            if finding == Self.noTables { missing = (.tables, finding.text) }
            findings.append((check.name, finding))
        }
        return Diagnosis(findings: findings)
    }

    /// The purpose of the server, and the place where all settings are told.
    private func settings() -> Finding {
        let idle = startup.idleSettings
        let words = idle.isEmpty ? "" : "; set, and without effect yet: \(idle.joined(separator: ", "))"
        return .ok(
            "\(startup.settings.environment.rawValue)\(words); `gatepass config check` prints each and its origin")
    }

    /// The catalogue's versions; nil while there is none. Throws if they cannot be read or the database is away.
    func catalogueVersions() async throws -> CatalogueVersions? {
        try await CatalogueVersionCache.open(pool: pool, read: CatalogueFile.stored)?.snapshot
    }

    var isProduction: Bool { startup.settings.environment == .production }

    /// The time from `instant` to `now` in words, without parts smaller than needed: `12s`, `3h`, `40d`.
    static func age(of instant: Instant, at now: Instant) -> String {
        let age = max(0, now - instant)
        let unit = [Instant.millisecondsPerDay, Instant.millisecondsPerHour, 60_000].first { age >= 2 * $0 } ?? 1_000
        return Span(milliseconds: age / unit * unit)?.text ?? "0s"
    }
}
