import StrictJSON

/// A request body, parsed as strict JSON: UTF-8 without byte order mark, no duplicate name, at most 32 levels deep, few
/// and short names (`threats.md` T13, T37).
struct JSONBody {
    let value: JSONValue

    /// - Throws: `invalid_request`.
    init(_ bytes: [UInt8]) throws(Problem) {
        do throws(JSONDefect) {
            value = JSONValue(try StrictJSON(bytes))
        } catch {
            throw .invalidRequest(Self.sentence(for: error), at: "#")
        }
    }

    private static func sentence(for defect: JSONDefect) -> String {
        switch defect {
        case .syntax(let position): "The body is not JSON, at byte \(position)."
        case .encoding(let position): "The body is not UTF-8, at byte \(position)."
        case .loneSurrogate(let position): "The body has half of a surrogate pair, at byte \(position)."
        case .duplicateName: "The body has two members of one name."
        case .tooDeep: "The body nests deeper than \(StrictJSON.maximumDepth) levels."
        case .tooManyNames: "The body has an object of more than \(StrictJSON.maximumNames) members."
        case .nameTooLong(let position):
            "The body has a name of more than \(StrictJSON.maximumNameBytes) bytes, at byte \(position)."
        }
    }
}
