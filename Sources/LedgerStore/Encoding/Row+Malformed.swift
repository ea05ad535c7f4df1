import MariaDB

extension Row {
    /// The fault of a cell that holds what this program would never write.
    func malformed(_ column: Int) -> DatabaseError {
        DatabaseError(.unexpectedCell(column: column), statement: "decode")
    }
}
