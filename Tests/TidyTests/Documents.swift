/// What the documents and the sources say of each other.
enum Documents {
    /// The raw values of `enum name`, in their order.
    static func cases(ofEnum name: String, in text: String) -> [String] {
        let code = SwiftTokens.code(of: text)
        guard let start = code.indexes(of: ["enum", name]).first else { return [] }
        var values: [String] = []
        var index = start
        while index + 1 < code.count, !["var", "static", "func", "init"].contains(code[index].text) {
            if code[index].text == "case", code[index].kind == .word {
                let hasValue = index + 3 < code.count && code[index + 2].text == "=" && code[index + 3].kind == .string
                values.append(hasValue ? code[index + 3].text : code[index + 1].text)
            }
            index += 1
        }
        return values
    }

    /// The first column of every table row of the form "| `code` | 422 | …".
    static func problemCodes(inTablesOf markdown: String) -> [String] {
        markdown.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            }
            guard cells.count > 3, Int(String(cells[2])) != nil, cells[1].first == "`", cells[1].last == "`" else {
                return nil
            }
            return String(cells[1].dropFirst().dropLast())
        }
    }

    /// `METHOD /path` for each line of the URL table.
    static func routes(inTable text: String) -> [String] {
        let code = SwiftTokens.code(of: text)
        return code.indices.compactMap { index in
            guard ["open", "signedIn", "server", "webhook"].contains(code[index].text), index + 5 < code.count,
                code[index + 1].text == "(", code[index + 2].text == ".", code[index + 4].text == ",",
                code[index + 5].kind == .string
            else { return nil }
            return code[index + 3].text.uppercased() + " " + code[index + 5].text
        }
    }

    /// The same for each call of the tour.
    static func routes(inTour text: String) -> [String] {
        let code = SwiftTokens.code(of: text)
        return code.indexes(of: ["route", ":"]).compactMap { index in
            index + 2 < code.count && code[index + 2].kind == .string ? code[index + 2].text : nil
        }
    }

    /// Whether a call of the tour is one of the route: they differ at most in how a parameter is called.
    static func isCall(_ call: String, of route: String) -> Bool {
        let (call, route) = (call.split(separator: "/"), route.split(separator: "/"))
        return call.count == route.count
            && zip(call, route).allSatisfy { $0 == $1 || ($0.first == "{" && $1.first == "{") }
    }

    /// The names of the commands that have no subcommands, and of stories without the words that stand for any.
    static func commands(in text: String) -> [String] {
        let code = SwiftTokens.code(of: text)
        let stories = code.indexes(of: ["Story", "("]).map { code[$0 + 2] }.filter { $0.kind == .string }
        return stories.map { $0.text.split { $0 == " " || $0.isUppercase }.joined(separator: " ") }
            + code.indexes(of: ["commandName", ":"]).compactMap { index in
                let rest = code[index...].dropFirst(2)
                let next = rest.dropFirst().firstIndex { $0.text == "commandName" } ?? code.endIndex
                return rest.prefix(upTo: next).contains { $0.text == "subcommands" } ? nil : rest.first?.text
            }
    }

    private static let methods: Set<String> = ["get", "put", "post", "delete", "patch", "head", "options", "trace"]

    /// The same for an OpenAPI document in YAML's block style, two spaces a level.
    static func routes(inOpenAPI text: String) -> [String] {
        var routes: [String] = []
        var path: String?
        var isInPaths = false
        for line in text.split(separator: "\n") {
            if !line.hasPrefix(" ") { isInPaths = line == "paths:" }
            guard isInPaths, line.hasSuffix(":") else { continue }
            let name = line.drop { $0 == " " }.dropLast()
            let indentation = line.count - name.count - 1
            if indentation == 2 { path = String(name) }
            if indentation == 4, let path, methods.contains(String(name)) {
                routes.append(name.uppercased() + " " + path)
            }
        }
        return routes
    }

    /// The members of `enum:` under `    name:`, one a line.
    static func members(ofSchema name: String, inOpenAPI text: String) -> [String] {
        let lines = text.split(separator: "\n")
        guard let start = lines.firstIndex(of: "    \(name):") else { return [] }
        return lines[(start + 1)...].prefix { $0.hasPrefix("     ") }.compactMap { line in
            line.hasPrefix("        - ") ? String(line.dropFirst(10)) : nil
        }
    }
}
