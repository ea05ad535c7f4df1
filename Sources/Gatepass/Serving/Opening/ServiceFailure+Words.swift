import LedgerStore
import MariaDB

extension ServiceFailure {
    /// The failure for people, with the remedy where its number tells one.
    var sentence: String {
        (self.words.isEmpty ? "\(self)" : "no connection to \(self)") + (remedy.map { "; \($0)" } ?? "")
    }

    /// The remedy, in the imperative; nil where the number of the error does not tell one.
    var remedy: String? {
        switch self.code {
        case 1045, 1698: "see database.user and database.password"
        case 1044, 1049: "see database.name: the database must be there, and the user must have rights in it"
        case 1130: "create the user for this machine, as docs/production.md shows"
        case 1142, 1143: "grant the user the rights that docs/production.md lists"
        case 1146: "run `gatepass migrate`: a table of this release is missing"
        case 1040, 1203: "raise max_connections of the database server, or lower database.pool_size"
        case 1193: "take MariaDB 10.11.17 or newer, as docs/deploy/existing-database.md says"
        case 1290: "name the server that takes writes in database.host, or make this one writable"
        case 2002, 2003: "see that MariaDB runs there: database.host and database.port, or database.socket"
        case 2005: "see database.host"
        case 2006, 2012, 2013, 2027: "see that what listens there is MariaDB, and not overloaded"
        case 2026: "see database.tls_ca, and the certificate of the database server"
        default: nil
        }
    }
}
