import Entitlements

/// A catalogue and the text from which it was read.
///
/// The database stores this text as a version, byte for byte. Two texts are the same version if their catalogues are
/// equal, so a change of comments or layout makes no new version.
struct CatalogueFile: Sendable {
    /// The catalogue's name in messages: the path of the file, or the table of the database.
    let name: String
    let text: String
    let catalogue: Catalogue

    /// The app of `config/catalog.yaml`, with an Apple id that no app has.
    static let demoApp = Catalogue.App(id: AppID("com.airport.vpn"), appleID: 1_234_567_890)

    /// True if the catalogue sells the demo's app.
    var isDemo: Bool { catalogue.apps.contains(Self.demoApp) }

    /// The reason why production does not put the demo's catalogue in force.
    var demoFault: Fault {
        Fault(
            place: .named(name), problem: "this is the demo's catalogue, which would stay on record for ever",
            remedy: "write your app's bundle_id, app_apple_id and products in place of those of "
                + "\(Self.demoApp.id.text), or name your file with --catalog")
    }

    /// Parses a text. Throws all its faults at once.
    init(text: String, fileName: String) throws(CatalogueFileError) {
        name = fileName
        self.text = text
        catalogue = try Self.parse(text: text, fileName: fileName)
    }

    /// Parses `text`, which may also be a stored version. `fileName` is for messages.
    ///
    /// Throws all faults, each with its line: unknown and missing keys, values of a wrong type or out of range, and
    /// contradictions.
    static func parse(text: String, fileName: String) throws(CatalogueFileError) -> Catalogue {
        let root: YAMLNode?
        do throws(Fault) {
            root = try YAMLNode.parse(yaml: text, fileName: fileName)
        } catch {
            throw CatalogueFileError(faults: [error])
        }
        return try parse(root ?? YAMLNode(line: 1, content: .mapping([])), fileName: fileName)
    }

    /// Parses a tree. Throws all its faults at once.
    static func parse(_ root: YAMLNode, fileName: String) throws(CatalogueFileError) -> Catalogue {
        var reader = CatalogueReader(fileName: fileName)
        let reading = reader.catalogue(root)
        var faults = reader.faults
        if let reading, reading.isJudgeable {
            let lines = CatalogueLines(root: root, productIndices: reading.productIndices)
            faults += CatalogueCheck.defects(in: reading.catalogue).map { lines.fault($0, in: fileName) }
        }
        guard faults.isEmpty, let reading else { throw CatalogueFileError(faults: faults.inReadingOrder) }
        return reading.catalogue
    }

    /// Checks the parts that must not change from one version to the next. Throws all faults at once, each with its
    /// line.
    func check(following previous: Catalogue) throws(CatalogueFileError) {
        let root: YAMLNode?
        do throws(Fault) {
            root = try YAMLNode.parse(yaml: text, fileName: name)
        } catch {
            throw CatalogueFileError(faults: [error])
        }
        guard let root else { return }
        let lines = CatalogueLines(root: root, productIndices: Array(catalogue.products.indices))
        let defects = CatalogueCheck.defects(in: catalogue, following: previous)
        guard defects.isEmpty else {
            throw CatalogueFileError(faults: defects.map { lines.fault($0, in: name) }.inReadingOrder)
        }
    }
}
