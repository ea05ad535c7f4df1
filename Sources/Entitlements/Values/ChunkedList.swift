/// A list that grows at its end. Copies share all elements but the newest, so the cost of appending to a copy does not
/// depend on the length of the list.
package struct ChunkedList<Element>: RandomAccessCollection, ExpressibleByArrayLiteral {
    private static var chunkLength: Int { 256 }

    /// The full chunks, which never change again.
    private var chunks: [[Element]] = []
    /// The newest elements, fewer than a full chunk.
    private var tail: [Element] = []

    package init() {}

    package init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    package init(arrayLiteral elements: Element...) {
        self.init(elements)
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { chunks.count * Self.chunkLength + tail.count }

    package subscript(position: Int) -> Element {
        let chunk = position / Self.chunkLength
        return chunk < chunks.count ? chunks[chunk][position % Self.chunkLength] : tail[position % Self.chunkLength]
    }

    package mutating func append(_ element: Element) {
        tail.append(element)
        guard tail.count == Self.chunkLength else { return }
        chunks.append(tail)
        tail = []
        tail.reserveCapacity(Self.chunkLength)
    }

    package mutating func append(contentsOf elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }
}

extension ChunkedList: Sendable where Element: Sendable {}
extension ChunkedList: Equatable where Element: Equatable {}
extension ChunkedList: Hashable where Element: Hashable {}
