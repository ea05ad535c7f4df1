import Crypto
import EntitlementAPI
import HTTPTypes
import Hummingbird

/// The random token in the browser's cookie. Before the sign-in it only ties forms to the browser; the sign-in gives
/// another one, whose digest finds the session.
struct BrowserToken: Sendable, Hashable {
    static let byteCount = 32

    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// The token in a request's cookie `name`; nil if there is none of the right length.
    init?(in request: Request, cookie name: String) {
        var found: [UInt8]?
        for field in request.headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let pair = pair.utf8.drop { $0 == UInt8(ascii: " ") }
                guard pair.starts(with: name.utf8), pair.dropFirst(name.utf8.count).first == UInt8(ascii: "=") else {
                    continue
                }
                // A browser sends two cookies of one name only if somebody planted one.
                guard found == nil else { return nil }
                found = Base64URL.decode(Array(pair.dropFirst(name.utf8.count + 1)))
            }
        }
        guard let found, found.count == Self.byteCount else { return nil }
        bytes = found
    }

    /// The header field that sets the cookie.
    func cookie(_ name: String, isSecure: Bool) -> String {
        "\(name)=\(Base64URL.encode(bytes)); Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// The header field that ends the cookie.
    static func ending(_ name: String, isSecure: Bool) -> String {
        "\(name)=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// The token of this browser's forms, without which no POST is taken (CSRF). It reveals nothing about the cookie.
    var formToken: String {
        Base64URL.encode(SHA256.hash(data: Array("gatepass form\0".utf8) + bytes))
    }

    /// True if `text` is the form token, compared in constant time.
    func isFormToken(_ text: String) -> Bool {
        SHA256.hash(data: Array(text.utf8)) == SHA256.hash(data: Array(formToken.utf8))
    }
}
