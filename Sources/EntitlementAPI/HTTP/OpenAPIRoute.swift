import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /openapi.yaml`: the OpenAPI description of this API (RFC 9512 defines the media type). `GET /openapi/app.yaml`
/// is the part of it that an app needs.
enum OpenAPIRoute {
    /// - Throws: `not_found` if the file is not deployed.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        try answer(call.api.openAPI)
    }

    /// - Throws: `not_found` if the file is not deployed.
    static func respondForApps(to call: OpenCall) async throws(Problem) -> Response {
        try answer(call.api.openAPIForApps)
    }

    private static func answer(_ document: ByteBuffer) throws(Problem) -> Response {
        guard document.readableBytes > 0 else { throw .notFound }
        return Response(
            status: .ok, headers: [.contentType: "application/yaml", .cacheControl: "public, max-age=300"],
            body: ResponseBody(byteBuffer: document))
    }

    /// The operations of `document` that have the tag, and the components that they refer to. The document is in YAML's
    /// block style, with two spaces a level and the tags of an operation on one line, as `openapi.yaml` is.
    static func part(tagged tag: String, of document: String) -> String {
        var kept: [Substring] = []
        var components: [Substring] = []
        for section in blocks(of: document.split(separator: "\n")[...], at: 0) {
            switch section.first {
            case "tags:":
                kept.append("tags:")
                kept += blocks(of: section.dropFirst(), at: 2).filter { $0.first == "  - name: \(tag)" }.joined()
            case "paths:":
                kept.append("paths:")
                for path in blocks(of: section.dropFirst(), at: 2) {
                    let operations = blocks(of: path.dropFirst(), at: 4).filter { $0.contains("      tags: [\(tag)]") }
                    if !operations.isEmpty { kept += path.prefix(1) + operations.joined() }
                }
            case "components:": components += section
            default: kept += section
            }
        }
        return (kept + needed(components[...], by: kept)).map { $0 + "\n" }.joined()
    }

    /// The components that `lines` refer to, and those that these refer to in turn, in the order of the document.
    private static func needed(_ components: ArraySlice<Substring>, by lines: [Substring]) -> [Substring] {
        let groups = blocks(of: components.dropFirst(), at: 2)
        var items: [String: ArraySlice<Substring>] = [:]
        for group in groups {
            for item in blocks(of: group.dropFirst(), at: 4) { items[name(of: item, in: group)] = item }
        }
        var found: Set<String> = []
        var unread = lines[...]
        while !unread.isEmpty {
            let names = Set(unread.compactMap(reference)).subtracting(found)
            found.formUnion(names)
            unread = Array(names.compactMap { items[$0] }.joined())[...]
        }
        var kept = Array(components.prefix(1))
        for group in groups {
            let wanted = blocks(of: group.dropFirst(), at: 4).filter { found.contains(name(of: $0, in: group)) }
            if !wanted.isEmpty { kept += group.prefix(1) + wanted.joined() }
        }
        return kept
    }

    /// `schemas/Problem` for the block of that schema.
    private static func name(of item: ArraySlice<Substring>, in group: ArraySlice<Substring>) -> String {
        [group, item].map { $0.first?.drop { $0 == " " }.dropLast() ?? "" }.joined(separator: "/")
    }

    /// The component that a line refers to: by its path, or of security by its name.
    private static func reference(in line: Substring) -> String? {
        let scheme = line.drop { $0 == " " }
        if scheme.hasPrefix("- "), scheme.hasSuffix(": []") {
            return "securitySchemes/\(scheme.dropFirst(2).dropLast(4))"
        }
        let start = "#/components/"
        return line.split(separator: "\"").first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }

    /// The lines in blocks that begin with a line of that indentation; lines before the first one are left out.
    private static func blocks(of lines: ArraySlice<Substring>, at indentation: Int) -> [ArraySlice<Substring>] {
        let starts = lines.indices.filter { index in
            lines[index].utf8.prefix { $0 == UInt8(ascii: " ") }.count == indentation
        }
        return zip(starts, starts.dropFirst() + [lines.endIndex]).map { lines[$0..<$1] }
    }
}
