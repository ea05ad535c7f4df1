/// The bounds within which a receipt is parsed. The parser makes a node of each element, so a small text could fill the
/// memory.
enum BERBounds {
    static let depth = 16
    static let elements = 50_000

    /// True if the text has few enough elements, none too deep. A text whose tags or lengths cannot be read is refused.
    static func hold(_ bytes: ArraySlice<UInt8>) -> Bool {
        var scan = Scan(bytes: bytes, place: bytes.startIndex)
        var (ends, count): ([Int?], Int) = ([], 0)
        while scan.place < bytes.endIndex {
            while case .some(.some(let end)) = ends.last, end <= scan.place { ends.removeLast() }
            if case .some(.none) = ends.last, scan.skipsEndOfContents() {
                ends.removeLast()
                continue
            }
            count += 1
            guard count <= elements, let element = scan.next() else { return false }
            if element.isConstructed {
                ends.append(element.end)
                guard ends.count <= depth else { return false }
            } else {
                guard let end = element.end else { return false }
                scan.place = end
            }
        }
        return true
    }

    /// A walk over the headers of elements, as X.690 encodes them.
    private struct Scan {
        let bytes: ArraySlice<UInt8>
        var place: Int

        /// Steps over the two zeros that end an element of indefinite length, if they are next.
        mutating func skipsEndOfContents() -> Bool {
            guard bytes.endIndex - place >= 2, bytes[place] == 0, bytes[place + 1] == 0 else { return false }
            place += 2
            return true
        }

        /// Steps to the content of the next element. Its end is nil for an indefinite length. Nil for what is no
        /// element of this text.
        mutating func next() -> (isConstructed: Bool, end: Int?)? {
            guard let tag = byte() else { return nil }
            if tag & 0x1F == 0x1F {
                var more: UInt8? = byte()
                while let part = more, part & 0x80 != 0 { more = byte() }
                guard more != nil else { return nil }
            }
            guard let first = byte() else { return nil }
            let isConstructed = tag & 0x20 != 0
            guard first != 0x80 else { return (isConstructed, nil) }
            var length = Int(first)
            if first & 0x80 != 0 {
                length = 0
                guard first & 0x7F <= 4 else { return nil }
                for _ in 0..<(first & 0x7F) {
                    guard let part = byte() else { return nil }
                    length = length << 8 | Int(part)
                }
            }
            guard length <= bytes.endIndex - place else { return nil }
            return (isConstructed, place + length)
        }

        private mutating func byte() -> UInt8? {
            guard place < bytes.endIndex else { return nil }
            defer { place += 1 }
            return bytes[place]
        }
    }
}
