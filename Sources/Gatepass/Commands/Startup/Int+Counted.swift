extension Int {
    /// So many things in words, such as `1 key` and `2 keys`.
    func counted(_ word: String) -> String { self == 1 ? "1 \(word)" : "\(self) \(word)s" }
}
