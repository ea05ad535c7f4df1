/// Tuples that an optimised build gets wrong.
///
/// Swift 6.3 with optimisation loses the elements before a `try await` in a tuple that a closure returns to a task
/// group. With `-O` this prints 0 four times, and without it 5 to 8:
///
///     func work(_ number: Int) async throws -> String { "value \(number)" }
///     await withTaskGroup(of: (Int, Result<String, any Error>).self) { group in
///         for number in 5..<9 {
///             group.addTask {
///                 do { return (number, .success(try await work(number))) } catch { return (number, .failure(error)) }
///             }
///         }
///         for await (number, _) in group { print(number) }
///     }
///
/// So what is awaited gets a name before the tuple is made, or a `struct` takes the tuple's place.
enum Tuples {
    static func findings(in file: TextFile) -> [String] {
        let tokens = SwiftTokens.code(of: file.text)
        return tokens.indices.filter { opensTuple($0, in: tokens) }.compactMap { index in
            let members = members(from: index, in: tokens)
            guard members.hasComma, members.awaitsWithTry else { return nil }
            return "\(file.path):\(tokens[index].line): no `try await` in a tuple"
        }
    }

    /// Whether a parenthesis opens neither a call nor a list of parameters.
    private static func opensTuple(_ index: Int, in tokens: [Token]) -> Bool {
        guard tokens[index].text == "(", tokens[index].kind == .symbol, index > 0 else { return false }
        return !tokens[index].isGlued || ["(", "[", "{"].contains(tokens[index - 1].text)
    }

    private static func members(from start: Int, in tokens: [Token]) -> (hasComma: Bool, awaitsWithTry: Bool) {
        var (depth, hasComma, awaitsWithTry) = (0, false, false)
        for index in start..<tokens.count where tokens[index].kind != .string {
            switch tokens[index].text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case ",": hasComma = hasComma || depth == 1
            case "await": awaitsWithTry = awaitsWithTry || tokens[index - 1].text == "try"
            default: break
            }
            if depth == 0 { break }
        }
        return (hasComma, awaitsWithTry)
    }
}
