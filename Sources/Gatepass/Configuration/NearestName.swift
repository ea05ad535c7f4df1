/// Finds the known name that a misspelt name most likely means.
enum NearestName {
    /// The name that is closest to `name`; nil if none is close enough.
    static func nearest(to name: String, among names: some Sequence<String>) -> String? {
        let limit = max(2, name.utf8.count / 3)
        return names.map { (name: $0, distance: distance(from: name, to: $0)) }
            .filter { $0.distance <= limit }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// The number of single-byte insertions, deletions and replacements between two names (Levenshtein).
    static func distance(from left: String, to right: String) -> Int {
        let right = Array(right.utf8)
        var previous = Array(0...right.count)
        for (row, byte) in left.utf8.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let replaced = previous[column] + (byte == other ? 0 : 1)
                current.append(min(replaced, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous[right.count]
    }
}
