import MariaDB

extension Row {
    /// The error for a cell whose content this program never writes.
    func malformed(_ column: Int) -> DatabaseError {
        DatabaseError(.unexpectedCell(column: column), statement: "decode")
    }
}
