import Testing

@testable import Gatepass

/// The small values of the settings.
@Suite struct ConfigurationValueTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.1", "10.0.0.1", true),
        ("10.0.0.1", "10.0.0.2", false), ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false),
        ("192.168.4.0/22", "192.168.7.255", true), ("192.168.4.0/22", "192.168.8.0", false),
        ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false), ("::1", "0:0:0:0:0:0:0:1", true),
        ("10.0.0.0/8", "::ffff:10.0.0.1", true), ("::ffff:10.0.0.1", "10.0.0.1", true),
    ])
    func `a range tells the addresses in it from those out of it`(
        _ range: String, _ address: String, _ isInside: Bool
    ) throws {
        let range = try #require(AddressRange(range))
        #expect(try range.contains(#require(IPAddress(address))) == isInside)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/08", "10.0.0/8", "example.com", "1.2.3.4/-1",
    ])
    func `a text that is no range is refused`(_ text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(arguments: ["", "nonsense", "10.0.0", "10.0.0.1:80", "[::1]", "::1%eth0", "1.2.3.456"])
    func `a text that is no IP address is refused`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("https://user:pw@example.com/x", "https://example.com/x"), ("user:pw@example.com", "example.com"),
        ("https://user:p/w@x@example.com", "https://example.com"), ("ftp://u@h/a", "ftp://h/a"),
        ("example.com", "example.com"), ("https://example.com/?a=b@c", "https://example.com/?a=b@c"),
    ])
    func `what is no web address is shown without its user`(_ text: String, _ shown: String) {
        #expect(WebAddress.withoutUser(text) == shown)
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com", "https://", "https://user:pw@example.com", "https://a/#b",
    ])
    func `a text that is no web address is refused`(_ text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test(arguments: [
        ("https://shop.example.com", nil), ("http://localhost:5173", nil), ("https://shop.example.com:8443", nil),
        ("http://[::1]:80", "http://[::1]"), ("capacitor://localhost", nil), ("https://xn--bcher-kva.example", nil),
        ("https://shop.example.com/", "https://shop.example.com"),
        ("https://shop.example.com/cart?a=b#c", "https://shop.example.com"),
        ("HTTPS://Shop.example.com", "https://shop.example.com"), ("https://shop.example.com.", nil),
        ("https://shop.example.com:443", "https://shop.example.com"),
        ("http://shop.example.com:080", "http://shop.example.com"), ("http://shop.example.com:443", nil),
        ("https://shop.example.com:", "https://shop.example.com"), ("https://me:pw@a.example", "https://a.example"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
    ])
    func `an origin is as browsers write it, or what they write is known`(_ text: String, _ written: String?) throws {
        #expect(try #require(PageOrigin(text)).text == written ?? text)
    }

    @Test(arguments: [
        "", "*", "null", "shop.example.com", "//shop.example.com", "https://", "https:/shop.example.com",
        "https://*.example.com", "https://a.example, https://b.example", "https://a b", "https://a%20b",
        "https://a:0", "https://a:65536", "localhost:5173", "https://[::1", "https://a_b*",
    ])
    func `a text that is no origin is refused`(_ text: String) {
        #expect(PageOrigin(text) == nil)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", true), ("http://127.9.8.7/a", true), ("http://[::1]:80", true),
        ("http://LocalHost", true), ("http://[::ffff:127.0.0.1]", true), ("http://128.0.0.1", false),
        ("http://[::2]", false), ("http://localhost.example.com", false), ("http://127.0.0.1.example.com", false),
    ])
    func `an address of this machine is told from others`(_ text: String, _ isLoopback: Bool) throws {
        #expect(try #require(WebAddress(text)).isLoopback == isLoopback)
    }

    @Test(
        arguments: [
            ("prot", ["port", "host"], "port"), ("databse", ["database", "devices"], "database"),
            ("zzz", ["port", "host"], nil), ("hosts", ["host", "port"], "host"), ("x", [], nil),
        ] as [(String, [String], String?)])
    func `the nearest name is the one most likely meant`(_ name: String, _ names: [String], _ expected: String?) {
        #expect(NearestName.nearest(to: name, among: names) == expected)
    }

    @Test(arguments: [
        ("db1", "db1", 3_306), ("db1:3307", "db1", 3_307), ("10.0.0.1:1", "10.0.0.1", 1), ("::1", "::1", 3_306),
        ("[::1]", "::1", 3_306), ("[fe80::2]:3307", "fe80::2", 3_307),
    ])
    func `a database's address may name its port`(_ text: String, _ host: String, _ port: UInt16) throws {
        let address = try #require(Settings.Database.Address(text, port: 3_306))
        #expect(address.host == host && address.port == port)
    }

    @Test(arguments: ["db1:", "db1:0", "db1:65536", "db1:x", "[::1]3306", "[::1]:"])
    func `an address with a port that is none is no address`(_ text: String) {
        #expect(Settings.Database.Address(text, port: 3_306) == nil)
    }

    @Test func `a file is looked for in the working directory, then beside the binary`() {
        let files: Set = ["/opt/config/gatepass.yaml", "/opt/migrations", "/home/me/migrations"]
        let lookup = FileLookup(
            workingDirectory: "/home/me", binaryDirectory: "/opt", exists: files.contains, read: { $0 })
        #expect(lookup.find("config/gatepass.yaml")?.path == "/opt/config/gatepass.yaml")
        #expect(lookup.find("migrations") == FileLookup.Found(name: "migrations", path: "/home/me/migrations"))
        #expect(lookup.find(nil, default: "config/catalog.yaml") == nil)
        #expect(lookup.find("mine.yaml", default: "config/catalog.yaml")?.path == "/home/me/mine.yaml")
        #expect(lookup.find("/etc/mine.yaml", default: "config/catalog.yaml")?.path == "/etc/mine.yaml")
    }

    @Test func `a file is also looked for around the configuration file that the command line names`() {
        let files: Set = ["/srv/config/root.cer", "/srv/config/b/c.yaml", "/opt/config/root.cer", "/opt/openapi.yaml"]
        let lookup = FileLookup(
            workingDirectory: "/srv", binaryDirectory: "/opt", exists: files.contains, read: { $0 })
        #expect(lookup.around(config: nil).find("root.cer") == nil)
        for config in ["config/gatepass.yaml", "/srv/config/gatepass.yaml"] {
            let around = lookup.around(config: config)
            #expect(around.find("root.cer")?.path == "/srv/config/root.cer")
            #expect(around.find("b/c.yaml")?.path == "/srv/config/b/c.yaml")
            #expect(around.find("openapi.yaml")?.path == "/opt/openapi.yaml")
        }
    }
}
