import EntitlementAPI
import Entitlements
import LedgerStore

/// The checks of the database, of its clock and of the keys that it keeps.
extension Doctor {
    /// The oldest MariaDB that has the security fixes that a server needs (`threats.md` T35).
    private static let oldestServer = [10, 11, 17]
    /// The largest difference of two clocks that is no fault, in milliseconds.
    static let largestSkew: Int64 = 5_000

    /// The server, and whether it takes writes. Throws when the database is away.
    func database() async throws -> Finding {
        let start = Surroundings.uptime()
        guard let server = try await DatabaseServer.read(in: pool) else { return .wrong("no answer", advice: nil) }
        return Self.judge(server, answeringIn: Int((Surroundings.uptime() - start) / .milliseconds(1)))
    }

    static func judge(_ server: DatabaseServer, answeringIn milliseconds: Int) -> Finding {
        let numbers = server.version.prefix { $0.isNumber || $0 == "." }.split(separator: ".").map { Int($0) ?? 0 }
        guard server.takesWrites else {
            return .wrong(
                "MariaDB \(server.version) takes no writes: it is read-only",
                advice: "name the server that takes writes in database.host, or make this one writable")
        }
        guard !numbers.lexicographicallyPrecedes(oldestServer) else {
            return .warning(
                "MariaDB \(server.version) lacks security fixes", advice: "install 10.11.17 or newer")
        }
        return .ok("MariaDB \(server.version), takes writes, answers in \(milliseconds) ms")
    }

    /// The Galera cluster, if the server is in one, and the servers that instances write to. Throws when the database
    /// is away.
    func cluster() async throws -> Finding {
        Self.judge(
            try await ClusterNode.read(in: pool), running: try await Instances(pool: pool).running())
    }

    static func judge(_ node: ClusterNode?, running: [(node: String, count: Int)]) -> Finding {
        let instances = running.map { "\($0.count.counted("instance")) at \($0.node)" }.joined(separator: ", ")
        let words = running.isEmpty ? "no instance runs" : instances
        guard running.count < 2 else {
            return .warning(
                "instances write to several servers: \(instances)",
                advice: node == nil
                    ? "name the server that takes writes in all settings: one of these may be its replica"
                    : "lead all of them to one node by a proxy; nothing is lost, and they are slower (docs/cluster.md)")
        }
        guard let node else { return .ok("the database is in no Galera cluster; \(words)") }
        let text = "\(node.name) is one of \(node.size.counted("node")), \(node.state); \(words)"
        guard node.size > 2, node.state == "Synced" else {
            return .warning(
                text,
                advice: node.size > 2
                    ? "wait until the node has caught up; if it does not, see its error log"
                    : "start the other nodes: fewer than three do not survive the loss of one")
        }
        return .ok(text)
    }

    /// The server's settings that keep what was acknowledged. Throws when the database is away.
    func durability() async throws -> Finding {
        let defects = try await Durability.defects(in: pool)
        guard !defects.isEmpty else { return .ok("an acknowledged commit survives a power cut") }
        return .wrong(
            "acknowledged purchases can be lost: \(defects.joined(separator: ", "))",
            advice: "set it right in the database server's own configuration, and restart that server")
    }

    /// The finding of a database that was never migrated.
    static let noTables = Finding.wrong("no tables yet", advice: "run `gatepass migrate`")

    /// The migrations of the database, beside those of this release. Throws if their directory is missing or the
    /// database is away.
    func schema() async throws -> Finding {
        let migrations = try startup.files.migrations(startup.options.migrations)
        let difference = try await Migrator(pool: pool, migrations: migrations).difference()
        return Self.judge(difference, given: migrations.count, accepting: Schema.accepted)
    }

    static func judge(
        _ difference: Migrator.Difference, given known: Int, accepting accepted: ClosedRange<Int>
    ) -> Finding {
        let list = { (numbers: [Int]) in numbers.map(String.init).joined(separator: ", ") }
        if !difference.edited.isEmpty {
            return .wrong(
                "migrations were edited after they were applied here: \(list(difference.edited))",
                advice: "restore their texts, those of the release that runs")
        }
        if !difference.missing.isEmpty {
            guard difference.missing.count < known || !difference.unknown.isEmpty else { return noTables }
            return .wrong(
                "migrations are not applied: \(list(difference.missing))",
                advice: "run `gatepass migrate` with the release that runs")
        }
        guard let newest = difference.unknown.last else { return .ok("all \(known) migrations are applied") }
        let text = "the database has migrations that this release does not know: \(list(difference.unknown))"
        return accepted.contains(newest)
            ? .warning(text, advice: "finish the upgrade: this release still works, and `gatepass migrate` does not")
            : .wrong(text, advice: "run the newer release")
    }

    /// This machine's clock, beside the database's. Throws when the database is away.
    func clock() async throws -> Finding {
        let before = Surroundings.now()
        guard let server = try await DatabaseServer.read(in: pool) else { return .notDone("no answer") }
        let after = Surroundings.now()
        return Self.judge(
            server.now, between: before, and: after, ahead: startup.clock.now() - Surroundings.now())
    }

    /// Judges the database's clock, which was read between two instants of this machine's clock. `ahead` is the lead of
    /// the test clock in milliseconds.
    static func judge(_ theirs: Instant, between before: Instant, and after: Instant, ahead: Int64 = 0) -> Finding {
        let skew = max(theirs - after, before - theirs, 0)
        guard skew <= largestSkew else {
            let words = Span(milliseconds: skew)?.text ?? ""
            return .wrong(
                "this machine's clock is \(words) \(theirs < before ? "ahead of" : "behind") the database's",
                advice: "keep both machines on time by NTP: passes end by this clock, and instances share work by it")
        }
        let lead = Span(milliseconds: ahead).map { "; the test clock is \($0.text) ahead" } ?? ""
        return .ok("this machine and the database agree on the time\(lead)")
    }

    /// The keys that the database keeps sealed, and whether the settings open them. Throws when the database is away.
    func sealedKeys() async throws -> Finding {
        let tokens = startup.settings.tokens
        let keys = InstallationKeys(
            pool: pool, seal: tokens.seal, now: startup.clock.now, random: Surroundings.randomBytes)
        if let fault = try await keys.fault() { return .wrong("\(fault)", advice: nil) }
        let stored = try await SigningKeyStore(pool: pool).load()
        guard !stored.isEmpty else { return .ok("no token was signed here yet; a server makes the first key") }
        do throws(SigningKeyFault) {
            let ring = try SigningKeyRing(
                of: stored, under: tokens.seal, tokenHours: tokens.offlineTokenHours, at: startup.clock.now())
            guard ring.unusable.isEmpty else {
                return .wrong(
                    "keys that signed before cannot be opened: \(ring.unusable.joined(separator: ", "))",
                    advice: "add the key that sealed them to tokens.previous_key_encryption_keys")
            }
            return .ok(
                "tokens.key_encryption_key opens all, \(ring.published.count.counted("signing key")) in use")
        } catch .none {
            return .warning(
                "no signing key is in its time", advice: "start a server, which makes the next; or see the clock")
        } catch {
            return .wrong("\(error)", advice: nil)
        }
    }
}
