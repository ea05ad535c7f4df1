// swift-tools-version: 6.0

import PackageDescription

// Conditional products are resolved all the same, so that an app on Apple's systems would fetch swift-crypto for
// nothing: the manifest itself leaves it out there. Resources need a bundle, which Linux has no use for.
#if os(Linux)
    let dependencies: [Package.Dependency] = [
        .package(url: "https://github.com/apple/swift-crypto", "3.0.0"..<"5.0.0")
    ]
    let crypto: [Target.Dependency] = [.product(name: "Crypto", package: "swift-crypto")]
    let (left, resources): ([String], [Resource]) = (["PrivacyInfo.xcprivacy"], [])
#else
    let dependencies: [Package.Dependency] = []
    let crypto: [Target.Dependency] = []
    let (left, resources): ([String], [Resource]) = ([], [.copy("PrivacyInfo.xcprivacy")])
#endif

let package = Package(
    name: "GatepassClient",
    platforms: [.iOS(.v17), .macOS(.v14), .visionOS(.v1)],
    products: [.library(name: "GatepassClient", targets: ["GatepassClient"])],
    dependencies: dependencies,
    targets: [
        .target(name: "GatepassClient", dependencies: crypto, exclude: left, resources: resources),
        .testTarget(name: "GatepassClientTests", dependencies: ["GatepassClient"] + crypto),
    ],
    swiftLanguageModes: [.v6]
)
