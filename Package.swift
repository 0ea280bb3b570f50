// swift-tools-version:6.2
import PackageDescription

// `make check` sets this: a warning in our own code is an error there, and nowhere else.
let checking = Context.environment["ROOST_STRICT"] == "1"
let warnings: [SwiftSetting] = checking ? [.treatAllWarnings(as: .error)] : []

// One set of rules for every target: Swift 6 mode, explicit existentials, members only of imported modules.
let basic: [SwiftSetting] = warnings + [.enableUpcomingFeature("ExistentialAny")]
let strict: [SwiftSetting] = basic + [.enableUpcomingFeature("MemberImportVisibility")]

// The message path runs on one thread by construction, so release builds drop the run-time exclusivity checks. Never in
// a target that a client library reaches: SwiftPM refuses a versioned dependency with unsafe flags.
let unchecked: [SwiftSetting] = [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

// `make check` runs the simulation four times faster with this. Overflow, assertions, preconditions and exclusivity are
// checked as in other debug builds.
let quick: [SwiftSetting] =
    checking ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : []
let fast: [SwiftSetting] = strict + unchecked

// `roost version` names it.
let commit = Context.gitInformation.map { $0.currentCommit + ($0.hasUncommittedChanges ? "+" : "") } ?? ""

let package = Package(
    name: "roost",
    // The systems with `Observable` and `Duration`, which a client needs. `MinimumVersionTests` looks for newer APIs.
    // The server runs on Linux.
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .executable(name: "roost", targets: ["roost"]),
        .executable(name: "roost-services", targets: ["roost-services"]),
        .executable(name: "roost-load", targets: ["roost-load"]),
        .library(name: "RoostAccounts", targets: ["RoostAccounts"]),
        .library(name: "RoostClient", targets: ["RoostClient"]),
        .library(name: "RoostClientLibwebsockets", targets: ["RoostClientLibwebsockets"]),
        .library(name: "RoostClientURLSession", targets: ["RoostClientURLSession"]),
        .library(name: "RoostKit", targets: ["RoostKit", "RoostStore"]),
        .library(name: "RoostTestClient", targets: ["RoostTestClient"]),
        .library(name: "RoostWire", targets: ["RoostWire"]),
    ],
    dependencies: [
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        // C libraries. Debian packages them; the shims name what Swift can't import.
        .systemLibrary(
            name: "CLibwebsockets",
            pkgConfig: "libwebsockets",
            providers: [.apt(["libwebsockets-dev"])]
        ),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CMalloc"),
        .target(name: "CBuild", cSettings: [.define("ROOST_COMMIT", to: "\"\(commit)\"")]),
        .systemLibrary(name: "CChecksum"),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CEpoll", path: "LoadTests/CEpoll"),

        // Pure: no socket, file, thread or clock.
        .target(name: "RoostWire", swiftSettings: strict + quick),
        // The rules for names, for the relay and the services, and the form in which names are compared.
        .target(name: "RoostNames", swiftSettings: strict + quick),
        .target(name: "RoostFraming", dependencies: ["RoostNames", "RoostWire"], swiftSettings: strict + quick),
        .target(
            name: "RoostCore",
            dependencies: [
                "RoostFraming", "RoostNames", "RoostWire",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: fast + quick
        ),

        // Edges: each the only importer of what it wraps; none imports another, except that sockets may speak TLS.
        .target(
            name: "RoostTransport", dependencies: ["CLibwebsockets", "RoostFraming", "RoostTLS", "RoostWire"],
            swiftSettings: strict
        ),
        .target(name: "RoostTLS", dependencies: ["COpenSSL", "RoostWire"], swiftSettings: strict),
        .target(
            name: "RoostStorage",
            dependencies: [
                "CChecksum", "CSQLite", "RoostCore", "RoostNames", "RoostWire",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: fast + quick
        ),
        .target(
            name: "RoostAuth",
            dependencies: ["RoostWire", .product(name: "JWTKit", package: "jwt-kit")],
            swiftSettings: strict
        ),

        // Reads one file for both processes. The settings of the services are apart from them, because `roost up` and
        // `roost check-config` read them, too.
        .target(
            name: "RoostConfiguration", dependencies: [.product(name: "Yams", package: "Yams")], swiftSettings: strict),
        .target(
            name: "RoostServicesConfiguration", dependencies: ["RoostConfiguration"], swiftSettings: strict),

        // Composition.
        .target(
            name: "RoostServer",
            dependencies: [
                "CBuild", "CMalloc", "RoostAuth", "RoostConfiguration", "RoostCore", "RoostWire", "RoostStorage",
                "RoostTLS", "RoostTransport", .product(name: "Logging", package: "swift-log"),
            ],
            resources: [
                .embedInCode("AdminPage/admin.html"), .embedInCode("AdminPage/admin.css"),
                .embedInCode("AdminPage/admin.js"), .embedInCode("AdminPage/accounts.js"),
                .embedInCode("AdminPage/dom.js"), .embedInCode("AdminPage/services.js"),
                .embedInCode("AdminPage/reports.js"), .embedInCode("AdminPage/find.js"),
                .embedInCode("AdminPage/invites.js"),
                // A link to a part of the chat page, which keeps the same sign-ins.
                .embedInCode("AdminPage/signins.js"),
            ],
            swiftSettings: fast,
            plugins: [.plugin(name: "PackPage")]
        ),
        // Compresses the chat page while the relay is built.
        .plugin(name: "PackPage", capability: .buildTool(), dependencies: ["roost-pack-page"]),
        .executableTarget(name: "roost-pack-page", dependencies: ["COpenSSL", "CZlib"], swiftSettings: strict),
        .executableTarget(
            name: "roost",
            dependencies: [
                "CLinux", "RoostAuth", "RoostChat", "RoostClient", "RoostClientLibwebsockets", "RoostWire",
                "RoostConfiguration", "RoostServer", "RoostServicesConfiguration",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),

        // `roost chat`: an app of RoostKit's for terminals.
        .target(
            name: "RoostChat", dependencies: ["RoostClient", "RoostKit", "RoostStore", "RoostWire"],
            swiftSettings: strict),

        // Modules that apps link: no C, but for the connector that says so.
        .target(name: "RoostLock", swiftSettings: strict),
        .target(name: "RoostClient", dependencies: ["RoostLock", "RoostWire"], swiftSettings: strict),
        .target(
            name: "RoostClientLibwebsockets", dependencies: ["RoostClient", "RoostTransport"], swiftSettings: strict),
        .target(name: "RoostClientURLSession", dependencies: ["RoostClient", "RoostLock"], swiftSettings: strict),
        // A device's data on disk, and an app's view of it.
        .target(name: "RoostStore", dependencies: ["CSQLite", "RoostLock", "RoostWire"], swiftSettings: strict),
        .target(
            name: "RoostKit", dependencies: ["RoostClient", "RoostLock", "RoostStore", "RoostWire"],
            swiftSettings: strict),
        // Signing up and in, for apps whose accounts are those of the services.
        .target(name: "RoostAccounts", dependencies: ["RoostLock", "RoostWire"], swiftSettings: strict),
        // The relay in memory, for tests of apps.
        .target(
            name: "RoostTestClient",
            dependencies: ["RoostClient", "RoostCore", "RoostLock", "RoostTestKit", "RoostWire"],
            swiftSettings: strict),

        // A second process: who people are. It sees the relay by its wire only.
        .target(
            name: "RoostServices",
            dependencies: [
                "CBuild", "CCurl", "CIDN2", "CLinux", "COpenSSL", "CSQLite", "CSodium", "RoostAuth", "RoostClient",
                "RoostClientLibwebsockets", "RoostConfiguration", "RoostNames", "RoostServicesConfiguration",
                "RoostStore", "RoostWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"), .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
            ],
            resources: [
                // A link to the document in Docs, so that there is one.
                .embedInCode("openapi.yaml"),
                .embedInCode("Mail/Texts/verify.en.txt"), .embedInCode("Mail/Texts/verify.de.txt"),
                .embedInCode("Mail/Texts/reset.en.txt"), .embedInCode("Mail/Texts/reset.de.txt"),
                .embedInCode("Mail/Texts/changed.en.txt"), .embedInCode("Mail/Texts/changed.de.txt"),
                .embedInCode("Mail/Texts/linked.en.txt"), .embedInCode("Mail/Texts/linked.de.txt"),
                .embedInCode("Mail/Texts/joined.en.txt"), .embedInCode("Mail/Texts/joined.de.txt"),
                .embedInCode("Mail/Texts/opened.en.txt"), .embedInCode("Mail/Texts/opened.de.txt"),
                .embedInCode("Mail/Texts/guarded.en.txt"), .embedInCode("Mail/Texts/guarded.de.txt"),
                .embedInCode("Mail/Texts/unguarded.en.txt"), .embedInCode("Mail/Texts/unguarded.de.txt"),
                .embedInCode("Mail/Texts/recovered.en.txt"), .embedInCode("Mail/Texts/recovered.de.txt"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "roost-services",
            dependencies: [
                "RoostAuth", "RoostConfiguration", "RoostServices", "RoostServicesConfiguration",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),

        // Shared test code: an in-memory log, a manual clock, the seeded simulation and its command.
        .target(name: "SeededRandom", swiftSettings: strict + quick),
        .target(
            name: "RoostTestKit", dependencies: ["RoostCore", "RoostFraming", "RoostWire", "SeededRandom"],
            swiftSettings: fast + quick),
        // The real store on a disk that loses what isn't synced, under the same simulation.
        .target(
            name: "SimulatedDisk",
            dependencies: ["CSQLite", "RoostCore", "RoostStorage", "RoostTestKit", "RoostWire", "SeededRandom"],
            swiftSettings: strict + quick
        ),
        .executableTarget(
            name: "roost-simulate",
            dependencies: ["RoostTestKit", "RoostWire", "SimulatedDisk"],
            swiftSettings: fast
        ),

        // How long each kind of command keeps the relay's loop busy.
        .executableTarget(
            name: "roost-turns", dependencies: ["RoostTestKit", "RoostWire"], path: "Tests/Turns", swiftSettings: fast),

        // A server for conformance suites: what it receives it sends back, on the relay's transport.
        .executableTarget(
            name: "roost-echo", dependencies: ["RoostFraming", "RoostTransport"], path: "Tests/Echo",
            swiftSettings: strict),

        // An app without a screen, for tests that kill it.
        .executableTarget(
            name: "roost-kit-driver",
            dependencies: ["RoostAccounts", "RoostClientLibwebsockets", "RoostKit", "RoostStore", "RoostWire"],
            path: "Tests/KitDriver", swiftSettings: strict),

        // An app without a screen, for the cases that clients in every language pass.
        .executableTarget(
            name: "roost-conformance-driver",
            dependencies: ["RoostClient", "RoostClientLibwebsockets", "RoostKit", "RoostStore", "RoostWire"],
            path: "Tests/Conformance/Driver", swiftSettings: strict),

        // An example of Docs/Clients.md: a token from one's own backend.
        .executableTarget(
            name: "roost-token-example", dependencies: [.product(name: "JWTKit", package: "jwt-kit")],
            path: "Tests/TokenExample", swiftSettings: strict),

        // The load tester. It talks to a relay over sockets only, and shares none of the server's transport but how
        // OpenSSL is called.
        .target(
            name: "RoostLoad",
            dependencies: [
                "CEpoll", "RoostAuth", "RoostConfiguration", "RoostTLS", "RoostWire", "SeededRandom",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "Yams", package: "Yams"),
            ],
            path: "LoadTests/Harness",
            // Foundation (reports) and Glibc (sockets) both claim C's types, by the order of files: so no member
            // visibility.
            swiftSettings: basic + unchecked
        ),
        .executableTarget(
            name: "roost-log-bench",
            dependencies: ["RoostCore", "RoostWire", "RoostStorage"],
            path: "LoadTests/LogBench",
            swiftSettings: fast
        ),
        // Times that a person waits for in an app: starting, opening, scrolling, sending.
        .executableTarget(
            name: "roost-kit-bench", dependencies: ["RoostClient", "RoostKit", "RoostStore", "RoostWire"],
            path: "LoadTests/KitBench", swiftSettings: strict),
        .executableTarget(
            name: "roost-load",
            dependencies: [
                "RoostConfiguration", "RoostLoad", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "LoadTests/Command",
            swiftSettings: strict
        ),

        .testTarget(name: "RoostTLSTests", dependencies: ["RoostTLS", "RoostWire"], swiftSettings: strict),
        .testTarget(name: "RoostWireTests", dependencies: ["RoostWire", "SeededRandom"], swiftSettings: strict),
        .testTarget(
            name: "RoostFramingTests", dependencies: ["RoostFraming", "RoostWire", "SeededRandom"],
            swiftSettings: strict),
        .testTarget(
            name: "RoostCoreTests",
            dependencies: ["RoostCore", "RoostFraming", "RoostWire", "RoostTestKit"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "CSQLite", "RoostCore", "RoostFraming", "RoostStorage", "RoostWire", "RoostTestKit", "SeededRandom",
                "SimulatedDisk", "roost-simulate",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RoostTransportTests",
            dependencies: ["RoostFraming", "RoostWire", "RoostTransport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RoostStorageTests",
            dependencies: ["CSQLite", "RoostCore", "RoostWire", "RoostStorage", "RoostTestKit"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RoostAuthTests",
            dependencies: [
                "RoostAuth", "RoostWire", .product(name: "JWTKit", package: "jwt-kit"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RoostServerTests",
            dependencies: [
                "RoostConfiguration", "RoostServer", "RoostServicesConfiguration", "RoostWire",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RoostChatTests",
            dependencies: ["RoostChat", "RoostClient", "RoostKit", "RoostStore", "RoostTestClient", "RoostWire"],
            swiftSettings: strict
        ),
        .testTarget(name: "RoostNamesTests", dependencies: ["RoostNames"], swiftSettings: strict),
        .testTarget(
            name: "RoostClientTests", dependencies: ["RoostClient", "RoostLock", "RoostTestClient", "RoostWire"],
            swiftSettings: strict),
        .testTarget(
            name: "RoostStoreTests", dependencies: ["RoostStore", "RoostWire", "SeededRandom"], swiftSettings: strict),
        .testTarget(
            name: "RoostKitTests",
            dependencies: [
                "RoostAccounts", "RoostClient", "RoostKit", "RoostLock", "RoostStore", "RoostTestClient", "RoostWire",
                "SeededRandom",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RoostAccountsTests", dependencies: ["RoostAccounts", "RoostLock", "RoostTestClient", "RoostWire"],
            swiftSettings: strict),
        .testTarget(
            name: "RoostConnectorTests",
            dependencies: [
                "RoostClient", "RoostClientLibwebsockets", "RoostClientURLSession", "RoostFraming", "RoostTransport",
                "RoostWire",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RoostServicesTests",
            dependencies: [
                "RoostAuth", "RoostConfiguration", "RoostServices", "RoostServicesConfiguration", "RoostStore",
                "RoostWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"), .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RoostLoadTests",
            dependencies: [
                "RoostAuth", "RoostConfiguration", "RoostLoad", "RoostWire", "SeededRandom", "roost-load",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ],
            swiftSettings: strict
        ),
    ]
)

// Leaves these targets and what they need, and nothing else.
@MainActor func keep(only names: [String]) {
    var wanted = Set(names)
    var open = wanted
    while let name = open.popFirst() {
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("there is no target \(name)")
        }
        for case .byNameItem(let needed, _) in target.dependencies where wanted.insert(needed).inserted {
            open.insert(needed)
        }
        for case .plugin(let needed, _) in target.plugins ?? [] where wanted.insert(needed).inserted {
            open.insert(needed)
        }
    }
    package.targets.removeAll { !wanted.contains($0.name) }
}

// `Scripts/sanitize short` builds a few test targets.
if let only = Context.environment["ROOST_ONLY"], !only.isEmpty {
    keep(only: only.split(separator: ",").map(String.init))
    package.products = []
}

// An app's build has only the libraries that it may link. The relay is left out: SwiftPM would build the tool that
// packs its page, and fetch packages, for an app that needs neither.
if Context.packageDirectory.contains("/checkouts/") {
    let libraries = package.products.compactMap { $0 as? Product.Library }
    keep(only: libraries.flatMap(\.targets))
    package.products = libraries
    var needed: Set<String> = []
    for target in package.targets {
        for case .productItem(_, let package?, _, _) in target.dependencies { needed.insert(package) }
    }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let url, _) = dependency.kind else { return false }
        return !needed.contains { url.hasSuffix("/\($0)") }
    }
}
