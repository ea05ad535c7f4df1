extension Statement {
    /// True if this statement is a repeat, so that it need not enter ledgers (`semantics.md` §1). A repeat has the same
    /// content as two groups of statements of its subject: those with the nearest earlier signing date, and those with
    /// its own signing date. The first statement of a subject is no repeat.
    ///
    /// Statements with the same signing date have no order by time. If two of them differ, neither is a repeat, and the
    /// next statement is none either.
    package func isRepeat(among statements: [Statement]) -> Bool {
        let known = statements.lazy.filter { $0.signedAt <= signedAt && followsSameSubject(as: $0) }
        guard let last = known.map(\.signedAt).filter({ $0 < signedAt }).max() else { return false }
        return known.allSatisfy { $0.signedAt < last || hasSameContent(as: $0) }
    }

    /// Returns the statements among `statements` that are repeats now, but no longer once this statement is known.
    /// Their signing date is that of this statement or the next later one.
    package func endingRepeats(among statements: [Statement]) -> [Statement] {
        let later = statements.filter { $0.signedAt >= signedAt && followsSameSubject(as: $0) }
        let next = later.lazy.map(\.signedAt).filter { $0 > self.signedAt }.min()
        return later.filter { statement in
            (statement.signedAt == signedAt || statement.signedAt == next)
                && statement.isRepeat(among: statements) && !statement.isRepeat(among: statements + [self])
        }
    }
}
