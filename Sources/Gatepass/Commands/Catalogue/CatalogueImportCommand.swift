import ArgumentParser
import Entitlements
import Foundation

/// `gatepass catalog import`: prints a catalogue for the products of a StoreKit configuration file. It needs no server
/// and writes no file.
struct CatalogueImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Print a catalogue for what a StoreKit configuration file of Xcode sells.",
        discussion: """
            For example: gatepass catalog import Store.storekit --bundle-id com.example.app \
            --pass com.example.pass.30d=30d > my-app.yaml

            The standard error stream says what a person has to know and to fill in. gatepass catalog check finds what \
            is empty.
            """)

    @Argument(help: "The .storekit file of formats 1 to 5.")
    var file: String

    @Option(name: .customLong("bundle-id"), help: "The app's bundle id, which the file does not have.")
    var bundleID: String?

    @Option(help: "The tier that passes and plans give.")
    var tier = "pro"

    @Option(
        name: .customLong("pass"),
        help: ArgumentHelp("The length of a pass in days; once for each pass.", valueName: "id=30d"))
    var passes: [String] = []

    @Option(help: ArgumentHelp("How many credits a consumable gives; once for each.", valueName: "id=100"))
    var credits: [String] = []

    @Option(help: "The currency of all prices (default: USD).")
    var currency: String?

    @OptionGroup var options: CommandOptions

    /// Throws `ValidationError` for options of the wrong form.
    func validate() throws { _ = try additions() }

    /// Throws the exit status 1 if a fault was printed.
    func run() async throws {
        let made = try imported(adding: try additions())
        print(made.text)
        fflush(nil)  // what is to be known stands below
        for note in made.notes { StandardError.print("gatepass: \(note)") }
    }

    private func imported(adding additions: CatalogueImport.Additions) throws -> CatalogueImport {
        try Startup.reporting {
            try CatalogueImport(try StoreKitFile(try bytes(), name: file), adding: additions)
        }
    }

    /// The bytes of the file, at most one more than it may have. Throws a fault if it cannot be read.
    private func bytes() throws(Fault) -> [UInt8] {
        let unreadable = Fault(
            place: .named(file), problem: "the file cannot be read", remedy: "write the path of a .storekit file")
        guard let handle = FileHandle(forReadingAtPath: file) else { throw unreadable }
        do {
            return [UInt8](try handle.read(upToCount: StoreKitFile.maximumBytes + 1) ?? Data())
        } catch {
            throw unreadable
        }
    }

    private func additions() throws -> CatalogueImport.Additions {
        guard tier != CatalogueImport.freeTier else {
            throw ValidationError("--tier is \(tier), the tier of users who bought nothing: name another")
        }
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        if let currency, currency.utf8.count != 3 || !currency.utf8.allSatisfy({ letters.contains($0) }) {
            throw ValidationError("--currency takes three capital letters, such as USD")
        }
        return CatalogueImport.Additions(
            bundleID: bundleID, tier: tier, currency: currency,
            days: try Self.numbers(passes, of: "--pass", unit: "d", upTo: CatalogueCheck.maximumDays),
            credits: try Self.numbers(credits, of: "--credits", unit: "", upTo: CatalogueCheck.maximumAmount))
    }

    /// Reads values such as `com.example.pass.30d=30d`: numbers from 1 up by product id, each followed by `unit`.
    private static func numbers(
        _ texts: [String], of option: String, unit: String, upTo most: Int
    ) throws -> [String: Int] {
        var numbers: [String: Int] = [:]
        for text in texts {
            let parts = text.split(separator: "=", omittingEmptySubsequences: false)
            let id = parts.dropLast().joined(separator: "=")
            let value = String(parts.last ?? "")
            guard !id.isEmpty, let number = Int(value.dropLast(unit.count)), "\(number)\(unit)" == value,
                (1...most).contains(number)
            else {
                throw ValidationError(
                    "\(option) \(VisibleText.escaped(text)): write a product id, =, and 1\(unit) to \(most)\(unit)")
            }
            guard numbers.updateValue(number, forKey: id) == nil else {
                throw ValidationError("\(option) names \(VisibleText.escaped(id)) twice")
            }
        }
        return numbers
    }
}
