import Testing

@testable import EntitlementAPI

struct EntityTagTests {
    private let tag = EntityTag(of: [1, 2, 3])

    @Test func `tags of one substance are one`() {
        #expect(tag == EntityTag(of: [1, 2, 3]))
        #expect(tag != EntityTag(of: [1, 2, 4]))
    }

    @Test func `a list names the tag by weak comparison`() {
        let strong = String(tag.text.dropFirst(2))
        for field in [
            "*", " * ", tag.text, strong, "\"a\", \(tag.text)", "\"a,b\" ,W/\"c\",\(strong),", ", \(tag.text)",
        ] {
            #expect(tag.isNamed(in: field), "\(field)")
        }
        for field in [
            "", "\"a\"", "**", "W/", String(strong.dropLast()), "a, \(tag.text)", "\"a\" \(tag.text)", "w/" + strong,
        ] {
            #expect(!tag.isNamed(in: field), "\(field)")
        }
    }
}

struct AcceptLanguageTests {
    private let titles = ["en": "E", "zh-Hans": "Z", "de": "D", "pt-BR": "P"]

    @Test(arguments: [
        (nil, "E"), ("", "E"), ("de", "D"), ("DE", "D"), ("de-AT", "D"), ("zh-Hans-CN", "Z"), ("zh", "Z"),
        ("zh-TW", "Z"), ("pt", "P"), ("fr, de;q=0.5", "D"), ("en;q=0.1, de;q=0.9", "D"), ("de;q=0, fr", "E"),
        ("*", "E"), ("fr, *;q=0.1", "E"), ("de;q=0.5, *;q=0.6", "E"), ("de;q=2", "E"), ("de;q=1.001", "E"),
        ("de;q=0.1234", "E"), (";;,,;q=1", "E"), ("zh-x-private", "Z"), ("de;Q=1.000", "D"),
    ])
    func `the best text is found`(field: String?, text: String) {
        #expect(AcceptLanguage(field).best(of: titles)?.text == text)
    }

    @Test func `without English, the first by tag is taken`() {
        #expect(AcceptLanguage("fr").best(of: ["sv": "S", "de": "D"])?.text == "D")
        #expect(AcceptLanguage("fr").best(of: [:]) == nil)
    }
}

struct QueryTests {
    @Test func `values are decoded once`() throws {
        let query = try Query("at=2026-01-15T00%3A00:00%2B00:00&b=%2561&c&d=")
        #expect(try query.text("at") == "2026-01-15T00:00:00+00:00")
        #expect(try query.text("b") == "%61")
        #expect(try query.text("c")?.isEmpty == true)
        #expect(try query.text("d")?.isEmpty == true)
        #expect(try query.text("e") == nil)
        #expect(try Query("at=2026-01-15T01:00:00+01:00").instant("at") == RFC3339.instant("2026-01-15T00:00:00Z"))
    }

    @Test(arguments: ["a=%", "a=%2", "a=%zz", "%ff=1", "a=%c3%28"])
    func `broken escapes are refused`(text: String) {
        #expect(throws: Problem.self) { try Query(text) }
    }

    @Test(arguments: ["at=", "at=now", "at=2026-01-15T00:00:00Z&at=2026-01-15T00:00:00Z"])
    func `a bad instant is named`(text: String) throws {
        let problem = #expect(throws: Problem.self) { _ = try Query(text).instant("at") }
        #expect(problem?.errors.first?.pointer == "?at")
    }

    @Test(arguments: [("f=1", true), ("f=true", true), ("f=0", false), ("f=false", false), ("", false)])
    func `flags are read`(text: String, value: Bool) throws {
        #expect(try Query(text).flag("f") == value)
    }

    @Test(arguments: ["f", "f=", "f=yes", "f=2", "f=1&f=1"])
    func `other flags are refused`(text: String) {
        #expect(throws: Problem.self) { try Query(text).flag("f") }
    }

    @Test(arguments: ["n=0", "n=101", "n=+1", "n=-1", "n=1.0", "n=", "n=99999999999999999999"])
    func `numbers outside their bounds are refused`(text: String) {
        #expect(throws: Problem.self) { try Query(text).integer("n", in: 1...100) }
    }
}

struct MediaTypeTests {
    @Test(arguments: [
        "application/json", "Application/JSON", "application/json; charset=utf-8", "application/json;charset=\"UTF-8\"",
        "application/json ; profile=x",
    ])
    func `a JSON type is one, whatever its parameters`(field: String) { #expect(MediaType.isJSON(field)) }

    @Test(arguments: [
        nil, "", "text/plain", "application/jsonp", "application/json, text/plain", "application/json; charset=utf-16",
        "application/x-www-form-urlencoded", "text/json",
    ])
    func `anything else is not JSON`(field: String?) { #expect(!MediaType.isJSON(field)) }
}
