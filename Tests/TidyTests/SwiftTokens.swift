/// A piece of Swift source.
struct Token: Hashable {
    enum Kind: Hashable {
        case word
        case symbol
        /// `text` is what stands between the quotes; the code of an interpolation follows as tokens of its own.
        case string
        /// `text` begins with `//` or `/*`.
        case comment
    }

    let kind: Kind
    var text: String
    /// From 1.
    let line: Int
    /// Whether it follows the piece before it without white space.
    let isGlued: Bool
    /// Whether it is the first piece of its line.
    let isFirst: Bool
}

/// Cuts Swift source into pieces, well enough to check rules of style: no types, no grammar.
struct SwiftTokens {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var isGlued = false
    private var isFirst = true
    private var tokens: [Token] = []

    static func of(_ text: String) -> [Token] {
        var lexer = SwiftTokens(bytes: Array(text.utf8))
        lexer.run(untilParenthesis: false)
        return lexer.tokens
    }

    /// The same without comments.
    static func code(of text: String) -> [Token] {
        of(text).filter { $0.kind != .comment }
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func run(untilParenthesis: Bool) {
        var depth = 0
        while let byte = peek() {
            if byte == 0x0A {
                advance()
                isFirst = true
                isGlued = false
            } else if byte == 0x20 || byte == 0x09 || byte == 0x0D {
                advance()
                isGlued = false
            } else if startsComment() {
                comment()
            } else if let quote = quoteLength() {
                string(hashes: quote.hashes, isLong: quote.isLong)
            } else if Self.isWord(byte) {
                let start = position
                while let next = peek(), Self.isWord(next) { advance() }
                emit(.word, from: start)
            } else {
                if byte == UInt8(ascii: "(") { depth += 1 }
                if byte == UInt8(ascii: ")") {
                    if untilParenthesis, depth == 0 { return advance() }
                    depth -= 1
                }
                advance()
                emit(.symbol, from: position - 1)
            }
        }
    }

    private mutating func comment() {
        let start = position
        let startLine = line
        if peek(1) == UInt8(ascii: "/") {
            while let byte = peek(), byte != 0x0A { advance() }
        } else {
            var depth = 0
            repeat {
                if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                    depth += 1
                    advance(2)
                } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                    depth -= 1
                    advance(2)
                } else {
                    advance()
                }
            } while depth > 0 && position < bytes.count
        }
        emit(.comment, from: start, line: startLine)
    }

    private mutating func string(hashes: Int, isLong: Bool) {
        let quotes = isLong ? 3 : 1
        advance(hashes + quotes)
        let index = tokens.count
        emit(.string, from: position)
        var content: [UInt8] = []
        while let byte = peek() {
            if byte == UInt8(ascii: "\""), matches(UInt8(ascii: "\""), quotes), matches("#", hashes, at: quotes) {
                advance(quotes + hashes)
                break
            }
            if byte == UInt8(ascii: "\\"), matches("#", hashes, at: 1) {
                advance(1 + hashes)
                if peek() == UInt8(ascii: "(") {
                    advance()
                    content.append(UInt8(ascii: " "))
                    run(untilParenthesis: true)
                } else {
                    content.append(peek() ?? 0)
                    advance()
                }
                continue
            }
            content.append(byte)
            advance()
        }
        tokens[index].text = String(decoding: content, as: UTF8.self)
        isGlued = true
        isFirst = false
    }

    private mutating func emit(_ kind: Token.Kind, from start: Int, line: Int? = nil) {
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        tokens.append(Token(kind: kind, text: text, line: line ?? self.line, isGlued: isGlued, isFirst: isFirst))
        isGlued = true
        isFirst = false
    }

    private func peek(_ ahead: Int = 0) -> UInt8? {
        position + ahead < bytes.count ? bytes[position + ahead] : nil
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == 0x0A { line += 1 }
            position += 1
        }
    }

    private func startsComment() -> Bool {
        peek() == UInt8(ascii: "/") && (peek(1) == UInt8(ascii: "/") || peek(1) == UInt8(ascii: "*"))
    }

    private func quoteLength() -> (hashes: Int, isLong: Bool)? {
        var hashes = 0
        while peek(hashes) == UInt8(ascii: "#") { hashes += 1 }
        guard peek(hashes) == UInt8(ascii: "\"") else { return nil }
        return (hashes, peek(hashes + 1) == UInt8(ascii: "\"") && peek(hashes + 2) == UInt8(ascii: "\""))
    }

    private func matches(_ byte: UInt8, _ count: Int, at ahead: Int = 0) -> Bool {
        (0..<count).allSatisfy { peek(ahead + $0) == byte }
    }

    private func matches(_ character: Unicode.Scalar, _ count: Int, at ahead: Int) -> Bool {
        matches(UInt8(ascii: character), count, at: ahead)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
            || byte == UInt8(ascii: "`")
    }
}

extension [Token] {
    /// Where `words`, one after the other, stand: the indexes of the first of each.
    func indexes(of words: [String]) -> [Int] {
        guard count >= words.count else { return [] }
        return (0...(count - words.count)).filter { start in
            words.indices.allSatisfy { self[start + $0].text == words[$0] && self[start + $0].kind != .string }
        }
    }
}
