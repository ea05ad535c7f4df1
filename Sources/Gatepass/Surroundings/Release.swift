/// The release that this program is built from.
enum Release {
    /// The version, which is that of the file `VERSION`; a test compares the two.
    static let version = "0.1.0"
}
