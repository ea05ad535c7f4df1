/// A binary heap of numbers with the smallest first; ``PassClock`` keeps the positions of waiting passes in it.
struct MinHeap {
    private var numbers: [Int] = []

    var smallest: Int? { numbers.first }

    mutating func insert(_ number: Int) {
        numbers.append(number)
        var child = numbers.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard numbers[child] < numbers[parent] else { return }
            numbers.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeSmallest() {
        guard let last = numbers.popLast(), !numbers.isEmpty else { return }
        numbers[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < numbers.count {
                if numbers[child] < numbers[least] { least = child }
            }
            guard least != parent else { return }
            numbers.swapAt(parent, least)
            parent = least
        }
    }
}
