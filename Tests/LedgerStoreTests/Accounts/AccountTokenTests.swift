import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// One random token for each user, for ever; it vetoes and never proves (`semantics.md` §5).
@Suite struct AccountTokenTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")

    @Test func `a user's token stays, and no two users share one`() async throws {
        try await TestStore.open { store in
            let tokens = store.instances[0].tokens
            let first = try await tokens.token(of: anna)
            for _ in 0..<3 { #expect(try await tokens.token(of: anna) == first) }
            #expect(try await tokens.token(of: ben) != first)
            #expect(try await store.schema.counts()["account_tokens"] == 2)
        }
    }

    @Test func `64 who ask at once get one token`() async throws {
        try await TestStore.open(instances: 2) { store in
            for round in 0..<TestRun.rounds(5, soak: 200) {
                let user = Sample.user(round)
                let tokens = try await withThrowingTaskGroup(of: AccountToken.self) { group in
                    for racer in 0..<64 {
                        group.addTask {
                            try await TestOperators.patiently {
                                try await store.instances[racer % 2].tokens.token(of: user)
                            }
                        }
                    }
                    return try await group.reduce(into: [AccountToken: Int]()) { $0[$1, default: 0] += 1 }
                }
                #expect(tokens.values.map(\.self) == [64])
            }
        }
    }

    @Test func `a token that was never issued vetoes nothing, one of a known user vetoes everybody else`() async throws
    {
        try await TestStore.open { store in
            let stranger = try #require(AccountToken("7e3fb20b-4cdb-47cc-936d-99d65f608138"))
            #expect(try await store.attach(Sample.pass("1", token: stranger), to: anna) == .success(.unowned))
            let bens = try await store.instances[0].tokens.token(of: ben)
            #expect(try await store.attach(Sample.pass("2", token: bens), to: anna) == .failure(.accountTokenMismatch))
            #expect(try await store.attach(Sample.pass("2", token: bens), to: ben) == .success(.unowned))
            // A token can be set later, so a text without it does not escape the veto.
            #expect(
                try await store.attach(Sample.pass("3", token: bens, signedDay: 3), to: anna)
                    == .failure(.accountTokenMismatch))
            #expect(try await store.attach(Sample.pass("3"), to: anna) == .failure(.accountTokenMismatch))
        }
    }

    @Test func `after a merge the guest's token names whom they were merged into, beside the token of their own`()
        async throws
    {
        try await TestStore.open { store in
            let (tokens, guest) = (store.instances[0].tokens, Sample.user("guest"))
            let (guests, annas) = (try await tokens.token(of: guest), try await tokens.token(of: anna))
            try await store.attach(Sample.pass("0"), to: guest)
            #expect(
                try await store.attach(Sample.pass("1", token: guests), to: anna) == .failure(.accountTokenMismatch))
            #expect(try await store.merge(guest, into: anna).get().count == 1)

            #expect(try await store.attach(Sample.pass("1", token: guests), to: anna) == .success(.unowned))
            #expect(try await store.attach(Sample.pass("2", token: guests), to: ben) == .failure(.accountTokenMismatch))
            #expect(try await store.attach(Sample.pass("3", token: annas), to: anna) == .success(.unowned))
            #expect(try await tokens.token(of: anna) == annas)
            let exported = try #require(try await Export(pool: store.pool, labels: Sample.labels).document(of: anna))
            for token in [guests, annas] { #expect(exported.contains(Sample.labels.label(of: token).text)) }
            #expect(exported.contains(guests.description) && exported.contains(annas.description))
            let found = try await TestOperators(store).reader.search(guests.description, under: Sample.labels)
            #expect(found.map(\.kind) == [.accountToken] && found.map(\.user) == [anna])
            // The guest who goes on is somebody new to the App Store.
            let fresh = try await tokens.token(of: guest)
            #expect(fresh != guests)
            #expect(try await store.attach(Sample.pass("4", token: fresh), to: guest) == .success(.unowned))
        }
    }

    @Test func `a guest of whom only a token is known can be merged, and one who was never seen cannot`() async throws {
        try await TestStore.open { store in
            let guest = Sample.user("guest")
            let guests = try await store.instances[0].tokens.token(of: guest)
            #expect(try await store.merge(guest, into: anna) == .success([]))
            #expect(try await store.attach(Sample.pass("1", token: guests), to: anna) == .success(.unowned))
            let trail = try await OperatorReader(pool: store.pool).auditEntries(before: nil, limit: 10).rows
            #expect(trail.map(\.action) == ["user.merge"])
            #expect(try await store.merge(Sample.user("nobody"), into: anna) == .failure(.unknownGuest))
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
        }
    }

    @Test func `a guest's token goes along from merge to merge, and is erased with whom it names`() async throws {
        try await TestStore.open { store in
            let (tokens, guest) = (store.instances[0].tokens, Sample.user("guest"))
            let guests = try await tokens.token(of: guest)
            try await store.attach(Sample.pass("gone"), to: guest)
            try await store.transfer(.all, from: guest, to: Sample.user("cleo"))
            #expect(try await store.merge(guest, into: anna) == .success([]))
            #expect(try await store.merge(guest, into: anna) == .success([]))
            let trail = try await OperatorReader(pool: store.pool).auditEntries(before: nil, limit: 10).rows
            #expect(trail.map(\.action) == ["user.merge"], "a token that comes is a change")
            let annas = try await tokens.token(of: anna)
            try await store.attach(Sample.pass("0", token: guests), to: anna)
            try await store.merge(anna, into: ben)
            for (id, token) in [("1", guests), ("2", annas)] {
                let pass = Sample.pass(id, token: token)
                #expect(try await store.attach(pass, to: anna) == .failure(.accountTokenMismatch))
                #expect(try await store.attach(pass, to: ben) == .success(.unowned))
            }
            try await store.erase(ben)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM account_tokens WHERE token IS NOT NULL") == 0)
            #expect(try await store.schema.counts()["account_tokens"] == 5, "their labels stay, and those of the ids")
            #expect(
                try await store.attach(Sample.pass("3", token: guests), to: anna) == .failure(.accountTokenMismatch))
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
        }
    }

    @Test(arguments: [false, true])
    func `a legacy token names its user only where legacy tokens are decoded`(isDecoded: Bool) async throws {
        try await TestStore.open(legacyTokens: isDecoded) { store in
            let legacy = try #require(AccountToken("0000002A-0000-0000-0000-000000000000"))
            // Nobody called 42 is known yet; whoever was never seen vetoes too.
            let refused: Result<Claim, AttachRefusal> = .failure(.accountTokenMismatch)
            #expect(
                try await store.attach(Sample.pass("1", token: legacy), to: anna)
                    == (isDecoded ? refused : .success(.unowned)))
            try await store.attach(Sample.pass("0"), to: Sample.user("42"))
            #expect(
                try await store.attach(Sample.pass("2", token: legacy), to: anna)
                    == (isDecoded ? refused : .success(.unowned)))
            #expect(
                try await store.attach(Sample.pass("3", token: legacy), to: Sample.user("42")) == .success(.unowned))
        }
    }
}
