import Foundation

/// The clock on the wall.
enum Wall {
    static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
