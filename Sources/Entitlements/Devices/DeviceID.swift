/// A device as the app names it: 1–128 visible ASCII characters, but neither `.` nor `..`, which clients and proxies
/// take out of a path (RFC 3986 §5.2.4), escaped or not.
package struct DeviceID: Identifier {
    package let text: String

    /// Nil when `text` is not of the form above.
    package init?(_ text: String) {
        let visible = UInt8(ascii: "!")...UInt8(ascii: "~")
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy({ visible.contains($0) }),
            text != ".", text != ".."
        else { return nil }
        self.text = text
    }

    package static let maximumLength = 128
}

/// A person's name for a device: 1–100 characters, counted as Unicode code points.
package struct DeviceName: Identifier {
    package let text: String

    /// Nil when `text` is empty or too long.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.unicodeScalars.count) else { return nil }
        self.text = text
    }

    package static let maximumLength = 100
}
