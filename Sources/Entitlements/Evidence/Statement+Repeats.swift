extension Statement {
    /// True if ledgers need not hold this statement beside the others of `statements`. All statements of its subject
    /// that were signed at once with it or last before it say the same then (`semantics.md` §1).
    ///
    /// Statements that were signed at once have no order by time, so one that says otherwise makes all of them count.
    package func isRepeat(among statements: [Statement]) -> Bool {
        let known = statements.lazy.filter { $0.signedAt <= signedAt && followsSameSubject(as: $0) }
        guard let last = known.map(\.signedAt).filter({ $0 < signedAt }).max() else { return false }
        return known.allSatisfy { $0.signedAt < last || hasSameContent(as: $0) }
    }

    /// The repeats among `statements` that are none any more beside this one. They were signed at once with it, or next
    /// after it.
    package func endingRepeats(among statements: [Statement]) -> [Statement] {
        let later = statements.filter { $0.signedAt >= signedAt && followsSameSubject(as: $0) }
        let next = later.lazy.map(\.signedAt).filter { $0 > self.signedAt }.min()
        return later.filter { statement in
            (statement.signedAt == signedAt || statement.signedAt == next)
                && statement.isRepeat(among: statements) && !statement.isRepeat(among: statements + [self])
        }
    }
}
