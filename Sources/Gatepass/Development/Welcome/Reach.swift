import Glibc

/// The addresses at which a development server is reached.
struct Reach: Hashable {
    /// The address for programs of this machine.
    let here: String
    /// The address for a phone in the same network; nil if the server listens on this machine alone, or has no network.
    let elsewhere: String?
    /// True if other machines can connect.
    let isOpen: Bool

    private static let loopback = ["127.0.0.1", "localhost", "::1"]
    private static let everywhere = ["0.0.0.0", "::"]

    /// True if a server that listens on `host` is reached at 127.0.0.1, as the simulated App Store must be, or ::1.
    static func isReached(listeningOn host: String) -> Bool { (loopback + everywhere).contains(host) }

    /// - Parameter addresses: The IPv4 addresses of this machine in its networks, the best first.
    init(host: String, port: Int, addresses: [String]) {
        here = host == "::1" ? "http://[::1]:\(port)" : "http://127.0.0.1:\(port)"
        isOpen = !Self.loopback.contains(host)
        elsewhere = isOpen ? addresses.first.map { "http://\($0):\(port)" } : nil
    }

    /// The IPv4 addresses of the network interfaces, without those of this machine alone.
    static func addresses() -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var addresses: [String] = []
        var next = first
        while let interface = next?.pointee {
            next = interface.ifa_next
            guard let address = interface.ifa_addr, Int32(address.pointee.sa_family) == AF_INET else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                continue
            }
            addresses.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return addresses.filter { !$0.hasPrefix("127.") }
    }
}
