// swift-tools-version: 6.2

import PackageDescription

/// Every target is strict in the same way: Swift 6 mode, no implicit `any`, imports internal and spelled out.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let collections: Target.Dependency = .product(name: "Collections", package: "swift-collections")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let httpClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let jwtKit: Target.Dependency = .product(name: "JWTKit", package: "jwt-kit")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1: Target.Dependency = .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")

let package = Package(
    name: "gatepass",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "gatepass", targets: ["Gatepass"])
    ],
    dependencies: [
        // The HTTP server.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        // Sockets and event loops under it; floor: CVE-2026-28980.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // The channel handlers that translate HTTP types, needed to set the limits Hummingbird leaves open.
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        // Fetches JWKS documents and speaks to the App Store.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // Starts, signals and drains the services of the process.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // The words in which modules count; what a Prometheus server reads is made of them in Gatepass/Metrics.
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        // SHA-2, HMAC, P-256; floor: CVE-2026-43823.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // X.509 path building and policy.
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        // Bearer tokens of the app's own login.
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        // Ordered collections and deques, for caches and queues.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // Layered settings; its YAML files are read with Yams, like the catalogue.
        .package(
            url: "https://github.com/apple/swift-configuration", from: "1.4.0",
            traits: ["CommandLineArguments", "YAML"]),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        // The command line.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "Entitlements", swiftSettings: strict),
        .target(name: "StrictJSON", swiftSettings: strict),
        .target(
            name: "AppStore", dependencies: ["Entitlements", "StrictJSON", x509, asn1, crypto], swiftSettings: strict),
        .target(
            name: "StripeBilling", dependencies: ["Entitlements", "StrictJSON", crypto], swiftSettings: strict),
        .target(
            name: "StoreSimulator", dependencies: ["AppStore", "Entitlements", x509, asn1, crypto, cryptoExtras],
            swiftSettings: strict),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CMariaDB", pkgConfig: "libmariadb", providers: [.apt(["libmariadb-dev"])]),
        .target(name: "MariaDB", dependencies: ["CMariaDB", collections, logging], swiftSettings: strict),
        .target(
            name: "LedgerStore", dependencies: ["Entitlements", "MariaDB", collections, crypto, logging],
            swiftSettings: strict),
        .target(
            name: "EntitlementAPI",
            dependencies: [
                "AppStore", "CZlib", "Entitlements", "LedgerStore", "StrictJSON", "StripeBilling", crypto, httpTypes,
                hummingbird, hummingbirdCore, jwtKit, logging, metrics, nioCore, nioHTTP1, nioHTTPTypes,
                nioHTTPTypesHTTP1,
            ],
            swiftSettings: strict),
        .target(
            name: "Dashboard",
            dependencies: [
                "EntitlementAPI", "Entitlements", "LedgerStore", crypto, cryptoExtras, httpTypes, hummingbird, nioCore,
                nioPosix,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "Gatepass",
            dependencies: [
                "AppStore", "CMalloc", "Dashboard", "EntitlementAPI", "Entitlements", "LedgerStore", "MariaDB",
                "StoreSimulator", "StrictJSON", "StripeBilling", argumentParser, asn1, configuration, crypto,
                httpClient, httpTypes, hummingbird, jwtKit, logging, metrics, nioCore, nioHTTP1, nioHTTPTypes,
                nioHTTPTypesHTTP1, nioPosix, serviceLifecycle, unixSignals, x509, yams,
            ],
            swiftSettings: strict),
        // What `make bench` measures beside the server, and the mint of its load; not part of the product.
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "AppStore", "EntitlementAPI", "Entitlements", "StoreSimulator", argumentParser, asn1, crypto, httpTypes,
                hummingbird, logging, nioCore, x509,
            ],
            swiftSettings: strict),
        .target(
            name: "Support",
            dependencies: [
                "AppStore", "Entitlements", "LedgerStore", "MariaDB", "StoreSimulator", asn1, crypto, logging, x509,
            ],
            path: "Tests/Support", swiftSettings: strict),
        .testTarget(name: "EntitlementsTests", dependencies: ["Entitlements"], swiftSettings: strict),
        .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON"], swiftSettings: strict),
        .testTarget(
            name: "AppStoreTests",
            dependencies: [
                "AppStore", "Entitlements", "StoreSimulator", "StrictJSON", "Support", asn1, crypto, cryptoExtras, x509,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "StripeBillingTests",
            dependencies: ["Entitlements", "StoreSimulator", "StripeBilling", "Support", crypto],
            swiftSettings: strict),
        .testTarget(
            name: "EntitlementAPITests",
            dependencies: [
                "AppStore", "Dashboard", "EntitlementAPI", "Entitlements", "LedgerStore", "MariaDB", "StoreSimulator",
                "StrictJSON", "StripeBilling", "Support", asn1, crypto, cryptoExtras, httpClient, httpTypes,
                hummingbird,
                hummingbirdCore,
                jwtKit, logging, metrics, nioCore, nioEmbedded, nioHTTP1, nioHTTPTypesHTTP1, nioPosix, serviceLifecycle,
                x509,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DashboardTests",
            dependencies: ["Dashboard", "EntitlementAPI", "Entitlements", "Support", httpTypes],
            swiftSettings: strict),
        .testTarget(
            name: "GatepassTests",
            dependencies: [
                "AppStore", "EntitlementAPI", "Entitlements", "Gatepass", "LedgerStore", "MariaDB", "StoreSimulator",
                "StrictJSON", "Support", crypto, httpClient, jwtKit, logging, metrics, nioCore, nioHTTP1,
                serviceLifecycle,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LedgerStoreTests", dependencies: ["Entitlements", "LedgerStore", "MariaDB", "Support", crypto],
            swiftSettings: strict),
        .testTarget(name: "TidyTests", swiftSettings: strict),
        .testTarget(name: "MariaDBTests", dependencies: ["MariaDB", "Support", logging], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
