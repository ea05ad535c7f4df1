extension Statement {
    /// True if this statement is a repeat, so that it need not enter ledgers (`semantics.md` §1). It is one if all
    /// statements of its subject that were signed last before it, or at the same instant, have the same content.
    ///
    /// Statements that were signed at one instant have no order by time. If two of them differ, none of them is a
    /// repeat, and neither is the next statement.
    package func isRepeat(among statements: [Statement]) -> Bool {
        let known = statements.lazy.filter { $0.signedAt <= signedAt && followsSameSubject(as: $0) }
        guard let last = known.map(\.signedAt).filter({ $0 < signedAt }).max() else { return false }
        return known.allSatisfy { $0.signedAt < last || hasSameContent(as: $0) }
    }

    /// Returns the statements among `statements` that are repeats, but no longer once this statement is known. They
    /// were signed at the same instant or next after it.
    package func endingRepeats(among statements: [Statement]) -> [Statement] {
        let later = statements.filter { $0.signedAt >= signedAt && followsSameSubject(as: $0) }
        let next = later.lazy.map(\.signedAt).filter { $0 > self.signedAt }.min()
        return later.filter { statement in
            (statement.signedAt == signedAt || statement.signedAt == next)
                && statement.isRepeat(among: statements) && !statement.isRepeat(among: statements + [self])
        }
    }
}
