import Foundation

// Reads every answer of the file as its type, with the decoder of the generated client.
let decoder = CodableHelper().jsonDecoder
var (read, refused) = (0, 0)
for line in try String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8).split(separator: "\n") {
    let parts = line.split(separator: "\t", maxSplits: 1)
    guard let type = types[String(parts[0])] else { continue }
    do {
        _ = try decoder.decode(type, from: Data(parts[1].utf8))
        read += 1
    } catch {
        refused += 1
        if refused < 20 { print("\(parts[0]): \(error)") }
    }
}
print("\(read) answers were read in Swift, \(refused) were not")
exit(refused == 0 && read > 0 ? 0 : 1)
