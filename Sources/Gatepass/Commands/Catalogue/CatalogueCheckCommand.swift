import ArgumentParser
import Entitlements
import Foundation

/// `gatepass catalog check`: checks the catalogue without a database. The exit status is 1, with all faults, if there
/// are any.
struct CatalogueCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Validate the catalogue; needs no database.",
        discussion: "For example: gatepass catalog check --catalog my-app.yaml")

    @OptionGroup var options: CommandOptions

    /// Throws the exit status 1 if a fault was printed.
    func run() async throws {
        do throws(CatalogueFileError) {
            let file = try CatalogueLocation.load(
                explicit: options.catalogue, environment: ProcessInfo.processInfo.environment,
                lookup: .ofProcess().around(config: options.config))
            print(Self.summary(of: file))
        } catch {
            StandardError.print(error.description)
            throw ExitCode.failure
        }
    }

    /// A line that says that the catalogue is right, with the number of its apps, lanes, tiers and products.
    static func summary(of file: CatalogueFile) -> String {
        let catalogue = file.catalogue
        return
            "\(file.name) is right: \(catalogue.apps.count.counted("app")), \(catalogue.lanes.count.counted("lane")), "
            + "\(catalogue.tiers.count.counted("tier")), \(catalogue.products.count.counted("product"))"
    }
}
