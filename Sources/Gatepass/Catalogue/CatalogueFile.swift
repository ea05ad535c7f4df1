import Entitlements

/// A catalogue with the text it was written as.
///
/// The text is what the database stores as a version, byte for byte. Two texts are one version when they parse to equal
/// catalogues, so comments and layout never make a new version.
struct CatalogueFile: Sendable {
    /// The catalogue's name in messages: a path, or the place in the database.
    let name: String
    let text: String
    let catalogue: Catalogue

    /// Throws every fault of the text at once.
    init(text: String, fileName: String) throws(CatalogueFileError) {
        name = fileName
        self.text = text
        catalogue = try Self.parse(text: text, fileName: fileName)
    }

    /// The catalogue that `text` describes; `fileName` is for messages, so a version from the database parses as well.
    ///
    /// Strict: throws every key that is unknown or missing, every value of a wrong type or out of range, and every
    /// contradiction, each with its line.
    static func parse(text: String, fileName: String) throws(CatalogueFileError) -> Catalogue {
        let root: YAMLNode?
        do throws(Fault) {
            root = try YAMLNode.parse(yaml: text, fileName: fileName)
        } catch {
            throw CatalogueFileError(faults: [error])
        }
        return try parse(root ?? YAMLNode(line: 1, content: .mapping([])), fileName: fileName)
    }

    /// Throws every fault of the tree at once.
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

    /// Checks, with lines, the parts that may not change from version to version. Throws every such fault at once.
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
