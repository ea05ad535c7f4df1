import Foundation
import Support
import Testing

/// `make` on a machine without Swift, or with an older one; the download is a stand-in.
@Suite struct SwiftSetupTests {
    /// A clone on such a machine.
    private struct Machine {
        let directory: String
        private var path: String { directory + "/bin" }

        /// - Parameters:
        ///   - swift: The version of the machine's own Swift; nil if it has none.
        ///   - reaches: Whether the download is there.
        /// - Throws: What the file system refuses.
        init(swift: String?, reaches: Bool) throws {
            directory = "/tmp/gatepass-clone-\(UInt32.random(in: .min ... .max))"
            for folder in ["bin", "home", "scripts", ".tools"] {
                try FileManager.default.createDirectory(
                    atPath: directory + "/" + folder, withIntermediateDirectories: true)
            }
            for file in ["Makefile", ".swift-version", "scripts/setup", "scripts/swift"] {
                try FileManager.default.copyItem(
                    atPath: TestRun.repository + "/" + file, toPath: directory + "/" + file)
            }
            for tool in [
                "sh", "env", "cat", "sed", "sort", "head", "tar", "gzip", "mktemp", "uname", "dirname", "basename",
                "mkdir", "rm", "cp", "chmod", "id", "touch", "make",
            ] {
                try FileManager.default.createSymbolicLink(
                    atPath: path + "/" + tool, withDestinationPath: "/usr/bin/" + tool)
            }
            for tool in [
                "mariadbd", "mariadb-install-db", "pkg-config", "openssl", "python3", "promtool", "gpg",
                "systemd-analyze",
            ] {
                try Self.script("exit 0", at: path + "/" + tool)
            }
            if let swift { try Self.script("echo 'Swift version \(swift) (of the tests)'", at: path + "/swift") }
            try Self.script(reaches ? Self.download : "exit 6", at: path + "/curl")
        }

        /// Writes an archive whose swiftly notes how it is called, and whose Swift notes what it is to build.
        private static let download = #"""
            while [ "$1" != -o ]; do shift; done
            folder=$(mktemp -d)
            cat >"$folder/swiftly" <<'END'
            #!/bin/sh
            set -eu
            echo "swiftly $1 $2" >>"$HOME/said"
            bin=$HOME/.local/share/swiftly/bin
            mkdir -p "$bin"
            case $1 in
            init) cp "$0" "$bin/swiftly" ;;
            install)
                echo 'touch "$HOME/libraries"' >"$5"
                { echo '#!/bin/sh'; echo "[ \"\$1\" != --version ] || echo Swift version $2"; \
                    echo '[ "$1" = --version ] || echo "swift $*" >>"$HOME/said"'; } >"$bin/swift"
                chmod +x "$bin/swift" ;;
            esac
            END
            chmod +x "$folder/swiftly"
            tar -czf "$2" -C "$folder" swiftly
            """#

        private static func script(_ text: String, at path: String) throws {
            try EndToEndServer.write("#!/bin/sh\n" + text + "\n", to: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }

        /// Runs a verb of the Makefile; its exit status and what it printed. Throws when it cannot be run.
        func make(_ verb: String) async throws -> (status: Int32, text: String) {
            let log = directory + "/log"
            let child = try ChildProcess.start(
                [
                    "env", "-i", "-C", directory, "PATH=" + path, "HOME=\(directory)/home", path + "/make", verb,
                ], log: log)
            let status = await ServingProcess.end(of: child)
            return (status, try String(contentsOfFile: log, encoding: .utf8))
        }

        /// What swiftly and Swift were called with.
        var said: [String] {
            let text = try? String(contentsOfFile: directory + "/home/said", encoding: .utf8)  // never called
            return text?.split(separator: "\n").map(String.init) ?? []
        }

        func remove() {
            try? FileManager.default.removeItem(atPath: directory)  // it is under /tmp
        }
    }

    private static func version() throws -> String {
        try String(contentsOfFile: TestRun.repository + "/.swift-version", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test(arguments: [(nil, "has none."), ("5.10.1", "has 5.10.1."), ("6.2", "has 6.2.")] as [(String?, String)])
    func `a machine without the Swift of this project is told, gets it, and builds in the same call`(
        swift: String?, has: String
    ) async throws {
        let machine = try Machine(swift: swift, reaches: true)
        defer { machine.remove() }
        let answer = try await machine.make("build-tests")
        let version = try Self.version()
        #expect(answer.status == 0, "\(answer.text)")
        #expect(answer.text.contains("Gatepass needs Swift \(version) or newer, and this machine \(has)"))
        #expect(
            machine.said == ["swiftly init --assume-yes", "swiftly install \(version)", "swift build --build-tests"],
            "\(answer.text)")
        #expect(FileManager.default.fileExists(atPath: machine.directory + "/home/libraries"), "apt-get's part")
        let again = try await machine.make("build-tests")
        #expect(again.status == 0 && machine.said.last == "swift build --build-tests" && machine.said.count == 4)
    }

    @Test func `where the download is out of reach, the lines to install it are printed and nothing else is done`()
        async throws
    {
        let machine = try Machine(swift: nil, reaches: false)
        defer { machine.remove() }
        let answer = try await machine.make("build-tests")
        #expect(answer.status != 0 && machine.said == [])
        #expect(answer.text.contains("download.swift.org cannot be reached from here. Install Swift with these lines"))
        #expect(answer.text.contains("/swiftly install \(try Self.version()) --assume-yes"), "\(answer.text)")
    }

    @Test(arguments: ["same", "7.0"]) func `a Swift that is new enough is left alone`(swift: String) async throws {
        let machine = try Machine(swift: swift == "same" ? try Self.version() : swift, reaches: false)
        defer { machine.remove() }
        let answer = try await machine.make("setup")
        #expect(answer.status == 0 && !answer.text.contains("Swift"), "\(answer.text)")
    }
}
