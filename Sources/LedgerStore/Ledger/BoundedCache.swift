/// A dictionary that forgets what was not used for longest, and never holds more than `capacity` entries.
///
/// Two generations instead of a list: an entry that is found in the older one moves to the recent one, and when that is
/// full it becomes the older one. So at least the `capacity / 2` entries used last are there, at the cost of a lookup.
package struct BoundedCache<Key: Hashable, Value> {
    private let generationCapacity: Int
    private var recent: [Key: Value] = [:]
    private var older: [Key: Value] = [:]

    package init(capacity: Int) {
        generationCapacity = max(1, capacity / 2)
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
            if let newValue { insert(newValue, for: key) } else { recent.removeValue(forKey: key) }
        }
    }

    package mutating func removeAll() {
        recent = [:]
        older = [:]
    }

    private mutating func insert(_ value: Value, for key: Key) {
        if recent.count >= generationCapacity, recent[key] == nil {
            older = recent
            recent = [:]
        }
        recent[key] = value
    }
}
