import Foundation
import Support
import Testing

/// `gatepass catalog import` as a process: what it prints where, and its exit status.
@Suite struct CatalogueImportCommandTests {
    /// A folder with `Store.storekit`, in which the program is run.
    private struct Folder {
        let path = "/tmp/gatepass-import-\(UInt32.random(in: .min ... .max))"

        /// Makes the folder with the file. Throws if it cannot be written.
        init(_ text: String) throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try EndToEndServer.write(text, to: path + "/Store.storekit")
        }

        /// Runs the program, with its standard output in the file `out.yaml`. The answer has the standard error stream.
        /// Throws when it cannot be run.
        func run(_ words: String) async throws -> CommandAnswer {
            let log = path + "/log-\(UInt32.random(in: .min ... .max))"
            let child = try ChildProcess.start(
                ["env", "-C", path, "sh", "-c", "exec '\(TestRun.program)' \(words) >out.yaml"], log: log)
            let status = await ServingProcess.end(of: child)
            return CommandAnswer(status: status, printed: try String(contentsOfFile: log, encoding: .utf8))
        }

        /// What the last command wrote to its standard output. Throws if that was not run.
        func output() throws -> String { try String(contentsOfFile: path + "/out.yaml", encoding: .utf8) }

        func remove() {
            try? FileManager.default.removeItem(atPath: path)  // it is under /tmp
        }
    }

    @Test func `the catalogue stands on the output, what a person has to know beside it, and the check is content`()
        async throws
    {
        let folder = try Folder(StoreKitText.passes)
        defer { folder.remove() }
        let partly = try await folder.run(
            "catalog import Store.storekit --bundle-id com.example.app --pass com.example.pass.30d=30d")
        #expect(partly.status == 0 && partly.target == nil)
        #expect(
            partly.text == """
                gatepass: com.example.pass.90d has no duration, because no StoreKit file has one: fill it in, or give \
                --pass ID=30d
                gatepass: prices are in USD, because no StoreKit file has a currency: give --currency for another

                """)
        let printed = try folder.output()
        #expect(printed.hasPrefix("apps:\n  - bundle_id: \"com.example.app\"\n"))
        #expect(printed.hasSuffix("\n     title: {en: \"90-day pass\"},\n     description: {en: \"90 days\"}}\n"))
        try EndToEndServer.write(printed, to: folder.path + "/partly.yaml")
        let missing = try await folder.run("catalog check --catalog partly.yaml")
        #expect(missing.status == 1)
        #expect(
            missing.text == "partly.yaml:13: a product of kind pass (\"com.example.pass.90d\") has no duration; "
                + "write duration: 30d\n")

        let whole = try await folder.run(
            "catalog import Store.storekit --bundle-id com.example.app --pass com.example.pass.30d=30d "
                + "--pass com.example.pass.90d=90d --currency EUR --tier plus")
        #expect(whole.status == 0 && whole.text.isEmpty, "\(whole.text)")
        try EndToEndServer.write(try folder.output(), to: folder.path + "/whole.yaml")
        let checked = try await folder.run("catalog check --catalog whole.yaml")
        #expect(checked.status == 0 && checked.text.isEmpty)
        #expect(try folder.output() == "whole.yaml is right: 1 app, 1 lane, 2 tiers, 2 products\n")
    }

    @Test(
        arguments: [
            (
                "gone.storekit", 1,
                "gatepass: gone.storekit: the file cannot be read; write the path of a .storekit file\n"
            ),
            (".", 1, "gatepass: .: the file cannot be read; write the path of a .storekit file\n"),
            (
                "Store.storekit --credits com.example.pass.30d=1", 1,
                "gatepass: --credits: com.example.pass.30d is of kind pass, not consumable; leave it out\n"
            ),
            (
                "Store.storekit --pass com.example.pass.30d=30", 64,
                "Error: --pass com.example.pass.30d=30: write a product id, =, and 1d to 36500d\n"
            ),
            ("Store.storekit --pass p=030d", 64, "Error: --pass p=030d: write a product id, =, and 1d to 36500d\n"),
            ("Store.storekit --pass p=0d", 64, "Error: --pass p=0d: write a product id, =, and 1d to 36500d\n"),
            ("Store.storekit --pass p=36501d", 64, "Error: --pass p=36501d: write a product id, =, and 1d to 36500d\n"),
            ("Store.storekit --pass p=1m", 64, "Error: --pass p=1m: write a product id, =, and 1d to 36500d\n"),
            ("Store.storekit --pass =1d", 64, "Error: --pass =1d: write a product id, =, and 1d to 36500d\n"),
            ("Store.storekit --pass 30d", 64, "Error: --pass 30d: write a product id, =, and 1d to 36500d\n"),
            (
                "Store.storekit --credits p=1d", 64,
                "Error: --credits p=1d: write a product id, =, and 1 to 1000000000\n"
            ),
            ("Store.storekit --pass p=1d --pass p=1d", 64, "Error: --pass names p twice\n"),
            (
                "Store.storekit --tier free", 64,
                "Error: --tier is free, the tier of users who bought nothing: name another\n"
            ),
            ("Store.storekit --currency usd", 64, "Error: --currency takes three capital letters, such as USD\n"),
        ] as [(String, Int32, String)])
    func `a file that is not there and an option of the wrong form are refused, and nothing is printed`(
        _ words: String, _ status: Int32, _ fault: String
    ) async throws {
        let folder = try Folder(StoreKitText.passes)
        defer { folder.remove() }
        let refused = try await folder.run("catalog import \(words)")
        #expect(refused.status == status)
        #expect(refused.text.hasPrefix(fault), "\(refused.text)")
        #expect(try folder.output().isEmpty)
    }
}
