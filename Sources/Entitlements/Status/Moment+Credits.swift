extension Moment {
    /// The balance of each purse in which the user holds a lot or has acted, by unit and environment. Purses of an
    /// environment that does not count are left out.
    var credits: [CreditBalance] { timeline.creditBalances(at: at) }
}
