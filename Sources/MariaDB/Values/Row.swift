/// A row of a result, which refers to the cells that all rows of the result share.
///
/// Columns are numbered from 0, in the order in which the statement lists them.
package struct Row: Sendable {
    private let cells: ResultCells
    private let start: Int

    init(_ cells: ResultCells, at index: Int) {
        self.cells = cells
        self.start = index * cells.width
    }

    /// The number of columns.
    package var count: Int { cells.width }

    /// The cell as the server sent it. Throws if there is no such column.
    package func value(_ column: Int) throws(DatabaseError) -> Value {
        guard column >= 0, column < cells.width else { throw unexpected(column) }
        return cells.values[start + column]
    }

    /// True if the cell is NULL. Throws if there is no such column.
    package func isNull(_ column: Int) throws(DatabaseError) -> Bool {
        try value(column) == .null
    }

    func unexpected(_ column: Int) -> DatabaseError {
        DatabaseError(.unexpectedCell(column: column), statement: cells.statement)
    }
}

/// All cells of a result, row after row.
final class ResultCells: Sendable {
    let statement: String
    let width: Int
    let values: [Value]

    init(statement: String, width: Int, values: [Value]) {
        self.statement = statement
        self.width = width
        self.values = values
    }

    /// The cells as rows.
    var rows: [Row] {
        guard width > 0 else { return [] }
        return (0..<values.count / width).map { Row(self, at: $0) }
    }
}
