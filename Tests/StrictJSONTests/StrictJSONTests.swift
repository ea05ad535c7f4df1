import Testing

@testable import StrictJSON

/// One reading or none (RFC 8259; RFC 3629 for the characters).
@Suite struct StrictJSONTests {
    @Test func `texts with one reading are read`() {
        for text in [
            "{}", "[]", "0", "-1", "1.5", "1e5", "1E-5", "-0", "-0.0", "true", "false", "null", #""""#, #""x""#, " {} ",
            "\t\r\n[1]\n",
            #"{"a":1,"b":2}"#, #"{"a":{"a":{"a":1}}}"#, #"{"":1}"#, #"{"a":1,"A":2}"#, #"["é","日本","😀"]"#,
            #""\ud83d\ude00""#, #""\u0000""#,
            #""\"\\\/\b\f\n\r\t""#, #"[[],{},[{}]]"#, #"{"a":[1,{"b":[true,null]}]}"#, #""\uD7FF\uE000\uFFFF""#,
            "\"\u{7F}\"", "\"\u{10FFFF}\"",
            String(repeating: "[", count: 32) + String(repeating: "]", count: 32),
        ] {
            check(text, nil)
        }
    }

    @Test func `texts with no or several readings are refused, and why`() {
        let tooDeep = String(repeating: "[", count: 33) + String(repeating: "]", count: 33)
        let cases: [(String, JSONDefect)] = [
            ("", .syntax(at: 0)), (" ", .syntax(at: 1)), ("{", .syntax(at: 1)), ("[", .syntax(at: 1)),
            ("{]", .syntax(at: 1)), ("[1,]", .syntax(at: 3)),
            ("[,1]", .syntax(at: 1)), ("[1 2]", .syntax(at: 3)), (#"{"a"}"#, .syntax(at: 4)),
            (#"{"a":}"#, .syntax(at: 5)), (#"{"a":1,}"#, .syntax(at: 7)),
            ("{a:1}", .syntax(at: 1)), ("{1:1}", .syntax(at: 1)), ("1 1", .syntax(at: 2)), ("01", .syntax(at: 1)),
            ("-01", .syntax(at: 2)), ("+1", .syntax(at: 0)),
            ("-", .syntax(at: 1)), ("1.", .syntax(at: 2)), (".1", .syntax(at: 0)), ("1e", .syntax(at: 2)),
            ("1e+", .syntax(at: 3)), ("tru", .syntax(at: 3)),
            ("truE", .syntax(at: 3)), ("nulll", .syntax(at: 4)), ("NaN", .syntax(at: 0)), ("'a'", .syntax(at: 0)),
            (#"""#, .syntax(at: 1)), (#""\"#, .syntax(at: 1)),
            (#""\x""#, .syntax(at: 1)), (#""\u12""#, .syntax(at: 1)), (#""\u12G4""#, .syntax(at: 1)),
            ("\"\n\"", .syntax(at: 1)), ("\"\u{1F}\"", .syntax(at: 1)),
            ("\u{FEFF}{}", .syntax(at: 0)), ("{}\0", .syntax(at: 2)), ("[1]//", .syntax(at: 3)),
            (#""\ud800""#, .loneSurrogate(at: 1)),
            (#""\udc00""#, .loneSurrogate(at: 1)), (#""\ud800x""#, .loneSurrogate(at: 1)),
            (#""\ud800\n""#, .loneSurrogate(at: 1)),
            (#""\ud800\ud800""#, .loneSurrogate(at: 1)), (#"{"a":1,"a":1}"#, .duplicateName),
            (#"{"a":1,"\u0061":1}"#, .duplicateName),
            (#"{"\u0061":1,"a":1}"#, .duplicateName), (#"{"é":1,"\u00e9":1}"#, .duplicateName),
            (#"{"😀":1,"\ud83d\ude00":1}"#, .duplicateName),
            (#"{"/":1,"\/":1}"#, .duplicateName), (#"{"":1,"":1}"#, .duplicateName),
            (#"[{"x":{"a":1,"b":2,"a":3}}]"#, .duplicateName), (tooDeep, .tooDeep),
        ]
        for (text, defect) in cases {
            check(text, defect)
        }
    }

    @Test func `a control character is found wherever in a long text it stands`() {
        for length in 0...40 {
            for place in 0...length {
                for control: UInt8 in [0x00, 0x0A, 0x1F] {
                    var text = Array(repeating: UInt8(ascii: "~"), count: length)
                    text.insert(control, at: place)
                    check(#""\#(String(decoding: text, as: UTF8.self))""#, .syntax(at: place + 1))
                }
            }
        }
    }

    @Test func `a quotation mark, a backslash and what is not ASCII are found wherever in a long text they stand`() {
        for length in 0...40 {
            for place in 0...length {
                for inserted in [#"\""#, #"\\"#, "\u{7F}", "é", "日", "😀", " ", "!", "#", "[", "]"] {
                    let text =
                        String(repeating: "~", count: place) + inserted + String(repeating: "z", count: length - place)
                    check("\"\(text)\"", nil)
                    check("\"\(text)", .syntax(at: text.utf8.count + 1))
                    check("[\"\(text)\",\"\(text)\"", .syntax(at: 2 * text.utf8.count + 6))
                }
            }
        }
    }

    @Test func `names that only look alike are different names`() {
        // Composed and decomposed: String would call them equal.
        check("{\"\u{E9}\":1,\"e\u{301}\":1}", nil)
    }

    @Test func `an object of a thousand members is read, and a repeated name in it found`() {
        let members = (0..<1000).map { #""m\#($0)":\#($0)"# }.joined(separator: ",")
        check("{\(members)}", nil)
        check("{\(members),\"m500\":1}", .duplicateName)
    }

    @Test func `names beyond the bounds are refused, in any object and spelling, and read where none are asked for`() {
        func object(_ count: Int) -> String {
            "{" + (0..<count).map { #""m\#($0)":\#($0)"# }.joined(separator: ",") + "}"
        }
        func named(_ name: String) -> String { #"[{"a":{"\#(name)":1}}]"# }
        let long = String(repeating: "n", count: 257)
        let (pair, unit) = (#"\ud83d\ude00"#, #"\u0061"#)
        for text in [
            object(1_024), named(String(long.dropLast())), named(String(repeating: pair, count: 64)),
            named(String(repeating: unit, count: 256)), named(String(repeating: "😀", count: 64)),
        ] {
            check(text, nil)
        }
        for (text, defect) in [
            (object(1_025), .tooManyNames), ("[{\"a\":\(object(1_025))}]", .tooManyNames),
            (named(long), .nameTooLong(at: 8)), (named(String(repeating: pair, count: 64) + "n"), .nameTooLong(at: 8)),
            (named(String(repeating: unit, count: 257)), .nameTooLong(at: 8)),
        ] as [(String, JSONDefect)] {
            check(text, defect)
            #expect(throws: Never.self) { try StrictJSON(Array(text.utf8), boundsNames: false) }
        }
        let twice = "{\"\(long)\":1,\"\(long)\":2}"
        #expect(throws: JSONDefect.duplicateName) { try StrictJSON(Array(twice.utf8), boundsNames: false) }
    }

    @Test func `a name with escapes is found by what it says, however long it is written`() throws {
        let json = try StrictJSON(Array(#"{"\u0061\u0062":1,"\/":2,"\ud83d\ude00":3,"ab\u0063":4}"#.utf8))
        for (name, value) in [("ab", 1), ("/", 2), ("😀", 3), ("abc", 4), ("a", nil), ("", nil), (#"\/"#, nil)]
            as [(String, Int64?)]
        {
            #expect(JSONValue(json)[name]?.integer == value.map { String($0) }, "\(name)")
        }
    }

    @Test func `every sequence of bytes that is no UTF-8 is refused`() {
        for first in UInt8(0x80)...0xFF {
            for rest in [
                [], [0x80], [0xBF], [0x41], [0x80, 0x80], [0xA0, 0x80], [0x9F, 0xBF], [0x80, 0x80, 0x80],
                [0x90, 0x80, 0x80], [0x8F, 0xBF, 0xBF],
            ] as [[UInt8]] {
                let bytes = [first] + rest
                let isText = String(validating: bytes, as: UTF8.self) != nil
                let isRead = (try? StrictJSON([0x22] + bytes + [0x22])) != nil  // Lost: where it breaks.
                #expect(isRead == isText, "\(bytes)")
            }
        }
    }

    @Test func `integers are read exactly, and only what is written as one`() throws {
        let cases: [(String, Int64?)] = [
            ("0", 0), ("7", 7), ("-7", -7), ("1697679936049", 1_697_679_936_049), ("9223372036854775807", .max),
            ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("92233720368547758070", nil), ("1.0", nil),
            ("1e3", nil), ("-0", nil), ("0.5", nil),
            ("true", nil), ("null", nil), (#""1""#, nil),
        ]
        for (text, expected) in cases {
            #expect(try StrictJSON(Array(text.utf8)).integer(StrictJSON.root) == expected, "\(text)")
        }
    }

    @Test func `strings are read with their escapes`() throws {
        let cases: [(String, String?)] = [
            (#""""#, ""), (#""a""#, "a"), (#""\u0041\u00e9\u65e5""#, "Aé日"), (#""\ud83d\ude00x""#, "😀x"),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""日本""#, "日本"), (#""\u0000""#, "\0"), ("1", nil), ("[]", nil), ("null", nil),
        ]
        for (text, expected) in cases {
            #expect(try StrictJSON(Array(text.utf8)).string(StrictJSON.root) == expected, "\(text)")
        }
    }

    @Test func `members are found by their exact names`() throws {
        let json = try StrictJSON(Array(#"{"a":{"b":2},"ab":3,"\u0063":4,"d":[5,[6],7]}"#.utf8))
        let a = try #require(json.member("a", of: StrictJSON.root))
        #expect(json.member("b", of: a).flatMap(json.integer) == 2)
        #expect(json.member("b", of: StrictJSON.root) == nil)
        #expect(json.member("ab", of: StrictJSON.root).flatMap(json.integer) == 3)
        #expect(json.member("c", of: StrictJSON.root).flatMap(json.integer) == 4)
        #expect(json.member("", of: StrictJSON.root) == nil)
        let d = try #require(json.member("d", of: StrictJSON.root))
        #expect(json.elements(of: d).map(json.integer) == [5, nil, 7])
        #expect(json.elements(of: a).isEmpty)
        #expect(json.member("x", of: d) == nil)
    }

    private func check(_ text: String, _ expected: JSONDefect?) {
        do throws(JSONDefect) {
            _ = try StrictJSON(Array(text.utf8))
            #expect(expected == nil, "read: \(text.prefix(80))")
        } catch {
            #expect(error == expected, "\(text.prefix(80))")
        }
    }
}
