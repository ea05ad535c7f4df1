/// A dictionary that forgets what was not used for longest, once its values weigh more than `capacity` together.
///
/// Two generations instead of a list: an entry that is found in the older one moves to the recent one, and when that is
/// full it becomes the older one. So at least the entries used last that weigh `capacity / 2` are there, at the cost of
/// a lookup. A value that alone weighs more is a generation of its own, so that none is too large to be kept.
package struct BoundedCache<Key: Hashable, Value> {
    private let generationCapacity: Int
    private let weight: @Sendable (Value) -> Int
    private var recent: [Key: Value] = [:]
    private var older: [Key: Value] = [:]
    private var recentWeight = 0

    /// A value weighs 1 unless `weight` says otherwise.
    package init(capacity: Int, weight: @escaping @Sendable (Value) -> Int = { _ in 1 }) {
        generationCapacity = max(1, capacity / 2)
        self.weight = weight
    }

    package var count: Int { recent.count + older.count }

    package subscript(key: Key) -> Value? {
        mutating get {
            if let value = recent[key] { return value }
            guard let value = older.removeValue(forKey: key) else { return nil }
            insert(value, for: key)
            return value
        }
        set {
            older.removeValue(forKey: key)
            if let replaced = recent.removeValue(forKey: key) { recentWeight -= weight(replaced) }
            if let newValue { insert(newValue, for: key) }
        }
    }

    package mutating func removeAll() {
        recent = [:]
        older = [:]
        recentWeight = 0
    }

    /// `key` is in neither generation.
    private mutating func insert(_ value: Value, for key: Key) {
        let weight = weight(value)
        if recentWeight + weight > generationCapacity, !recent.isEmpty {
            older = recent
            recent = [:]
            recentWeight = 0
        }
        recent[key] = value
        recentWeight += weight
    }
}
