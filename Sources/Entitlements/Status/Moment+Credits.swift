extension Moment {
    /// The balance of each purse that counts and has begun, by unit and environment.
    var credits: [CreditBalance] { timeline.creditBalances(at: at) }
}
