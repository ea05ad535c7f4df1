import Entitlements
import MariaDB

/// The names and numbers in the deliveries of a batch, under locks, with everything that is known about them.
struct KnownNames {
    /// The meanings of all numbers in the deliveries, and of the numbers to which these lead. Meanings that the
    /// deliveries themselves tell are included.
    private(set) var numbers: [NumberSpace: [String: Set<PurchaseNumber>]] = [:]
    /// The labels of customers and account tokens in the deliveries.
    private(set) var labels: Set<Label> = []
    /// The users whose rows the batch has to lock: users whom the deliveries name by id or by label, without erased
    /// ones.
    private(set) var users: Set<UserID> = []
    /// The users whom the deliveries name by id, who are erased, and who have not come back under that id.
    private(set) var erased: Set<UserID> = []

    /// Locks and reads all names and numbers in `news`. A number may lead to further numbers, so reading and locking
    /// are repeated until all of them are locked. Throws when the database refuses a statement or is away.
    static func lock(
        _ news: [DeliveryNews], under labels: Labels, in session: Session
    ) throws(DatabaseError) -> KnownNames {
        var names = KnownNames()
        guard !news.isEmpty else { return names }
        let users = Set(news.flatMap(\.users))
        let mentions = Dictionary(uniqueKeysWithValues: users.map { ($0, labels.mention(of: $0)) })
        names.labels = news.reduce(into: []) { $0.formUnion($1.labels) }
        let words = Set(names.labels.map(\.text)).union(mentions.values.map(\.text))
        var locked: Set<String> = []
        while true {
            try names.readNumbers(of: news, in: session)
            let missing = names.numbers.values.reduce(into: words) { $0.formUnion($1.keys) }.subtracting(locked)
            if missing.isEmpty { break }
            try MentionRow.lock(missing, in: session)
            locked.formUnion(missing)
        }
        let holders = try AccountTokenRow.holders(of: names.labels.union(mentions.values), in: session)
        for (user, mention) in mentions where holders[mention]?.isErased == true {
            if try !UserRow.isKnown(user, in: session) { names.erased.insert(user) }
        }
        // A legacy token of an erased person encodes the user id, so that id names nobody either.
        for news in news where news.token.flatMap({ holders[$0] })?.isErased == true {
            names.erased.formUnion(news.users)
        }
        names.users = users.subtracting(names.erased)
            .union(names.labels.compactMap { holders[$0] }.filter { !$0.isErased })
        return names
    }

    private mutating func readNumbers(of news: [DeliveryNews], in session: Session) throws(DatabaseError) {
        numbers = [:]
        for (space, news) in Dictionary(grouping: news, by: \.space) {
            let told = Dictionary(grouping: news.flatMap(\.numbers), by: \.number)
            var known: [String: Set<PurchaseNumber>] = [:]
            var next = news.reduce(into: Set<String>()) { $0.formUnion($1.allNumbers) }
            while !next.isEmpty {
                let rows = Dictionary(
                    grouping: try PurchaseNumberRow.read(next, in: space, session: session), by: \.number)
                for number in next { known[number] = Set((rows[number] ?? []) + (told[number] ?? [])) }
                next = Set(next.flatMap { known[$0] ?? [] }.map(\.target)).subtracting(known.keys)
            }
            numbers[space] = known
        }
    }

    /// The purchases to which the numbers of a takeback may lead; empty for a delivery without a takeback.
    func keys(of news: DeliveryNews?) -> Set<PurchaseKey> {
        guard let news, news.takeback != nil else { return [] }
        var found = news.allNumbers
        var next = found
        while !next.isEmpty {
            let meanings = next.flatMap { numbers[news.space]?[$0] ?? [] }
            next = Set(meanings.map(\.target)).subtracting(found)
            found.formUnion(next)
        }
        return Set(found.map(news.space.key))
    }
}
