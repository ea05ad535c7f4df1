import Glibc
import Synchronization

/// The answers of servers under test, for `scripts/clients`, which reads each of them as the clients of the API do.
package enum KeptAnswers {
    /// The file that `GATEPASS_TEST_ANSWERS` names, opened to be added to; nil if it names none.
    private static let file = getenv("GATEPASS_TEST_ANSWERS").map { open($0, O_WRONLY | O_CREAT | O_APPEND, 0o644) }

    private static let lock = Mutex(())

    /// Adds an answer to the file, a line of JSON each. An answer that is no text is left out.
    package static func keep(
        _ method: String, _ path: String, _ request: [UInt8]?, _ status: Int, type: String?, _ body: [UInt8]
    ) {
        guard let file, file >= 0, let type, let text = String(validating: body, as: UTF8.self) else { return }
        let sent = request.flatMap { String(validating: $0, as: UTF8.self) }.map(quoted) ?? "null"
        let line =
            #"{"method":\#(quoted(method)),"path":\#(quoted(path)),"request":\#(sent),"status":\#(status),"#
            + #""type":\#(quoted(type)),"body":\#(quoted(text))}"# + "\n"
        lock.withLock { _ in
            _ = Array(line.utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        }
    }

    private static func quoted(_ text: String) -> String {
        var out: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): out += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: out += Array((byte < 0x10 ? "\\u000" : "\\u00").utf8) + Array(String(byte, radix: 16).utf8)
            default: out.append(byte)
            }
        }
        return String(decoding: out + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}
