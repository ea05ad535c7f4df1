/// A cache: a dictionary that drops entries not used for a long time, once the weights of its values exceed `capacity`.
///
/// The cache has two generations instead of a list. An entry that is found in the older generation moves to the recent
/// one. When the recent generation is full, it becomes the older one. So the most recently used entries are kept, at
/// least up to the weight `capacity / 2`, and no list has to be updated. A value that is heavier than `capacity / 2`
/// fills a generation alone, so no value is too large to be kept.
package struct BoundedCache<Key: Hashable, Value> {
    private let generationCapacity: Int
    private let weight: @Sendable (Value) -> Int
    private var recent: [Key: Value] = [:]
    private var older: [Key: Value] = [:]
    private var recentWeight = 0

    /// - Parameters:
    ///   - capacity: The largest weight of all values together, apart from single heavier values.
    ///   - weight: The weight of a value, by default 1.
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

    /// Inserts a value for a key that is in neither generation.
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
