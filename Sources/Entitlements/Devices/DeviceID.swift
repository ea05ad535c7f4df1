/// The id that an app gives a device: 1–128 visible ASCII characters. It is neither `.` nor `..`, because clients and
/// proxies remove these from a URL path, escaped or not (RFC 3986 §5.2.4).
package struct DeviceID: Identifier {
    package let text: String

    /// Returns nil if `text` does not have the form above.
    package init?(_ text: String) {
        let visible = UInt8(ascii: "!")...UInt8(ascii: "~")
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy({ visible.contains($0) }),
            text != ".", text != ".."
        else { return nil }
        self.text = text
    }

    package static let maximumLength = 128
}

/// The name that a person gives a device: 1–100 characters, counted as Unicode code points.
package struct DeviceName: Identifier {
    package let text: String

    /// Returns nil if `text` is empty or too long.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.unicodeScalars.count) else { return nil }
        self.text = text
    }

    package static let maximumLength = 100
}
