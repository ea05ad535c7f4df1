import Glibc

/// The threads of this process, as the kernel names them.
enum Threads {
    /// How many threads have a name that starts with `prefix`.
    static func count(named prefix: String) -> Int {
        guard let directory = opendir("/proc/self/task") else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if threadName(name).hasPrefix(prefix) { count += 1 }
        }
        return count
    }

    private static func threadName(_ id: String) -> String {
        guard let file = fopen("/proc/self/task/\(id)/comm", "r") else { return "" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, 64, file) != nil else { return "" }
        return String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
