/// Every order of the first `count` numbers.
package func permutations(of count: Int) -> [[Int]] {
    guard count > 0 else { return [[]] }
    return permutations(of: count - 1).flatMap { order in
        (0...order.count).map { place in
            var order = order
            order.insert(count - 1, at: place)
            return order
        }
    }
}
