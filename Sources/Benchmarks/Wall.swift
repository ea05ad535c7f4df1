import Foundation

/// The real time.
enum Wall {
    static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
