import Dashboard
import EntitlementAPI
import Logging
import ServiceLifecycle

extension Server {
    /// The port of the dashboard's pages: the main one, or their own.
    var dashboardPort: BoundPort {
        BoundPort(settings.dashboard.onMainPort ? settings.http.port : settings.dashboard.port)
    }

    /// The pages of the dashboard at `port`; none if the settings turn it off.
    func dashboardPages(at port: BoundPort) -> [Endpoint] {
        guard settings.dashboard.enabled else { return [] }
        let dashboard = settings.dashboard
        if dashboard.isSecure, settings.http.trustedProxies.isEmpty {
            logger.warning(
                "http.trusted_proxies is empty: the dashboard takes everybody behind its proxy for one network")
        }
        return Dashboard(
            Dashboard.Settings(
                origins: { dashboard.origins(port: port.value) }, isSecure: dashboard.isSecure,
                idleMinutes: dashboard.idleMinutes, sessionHours: dashboard.sessionHours),
            zones: Surroundings.zoneOffset, newToken: Surroundings.browserToken,
            hold: { try? await Task.sleep(for: .milliseconds($0)) }  // cancelled: nobody reads the answer
        ).endpoints
    }

    /// The server of the pages' own port; nil if they are on the main port, or turned off.
    func dashboardServer(
        _ dependencies: API.Dependencies, serving pages: [Endpoint], at port: BoundPort
    ) -> (any Service)? {
        guard !pages.isEmpty, !settings.dashboard.onMainPort else { return nil }
        let (host, number) = (settings.dashboard.host, settings.dashboard.port)
        return ListeningHTTP(
            application: application(API(dependencies, servingOnly: pages), host: host, at: number) {
                port.note($0)
            },
            address: "\(host):\(number)", remedy: "name another with dashboard.host and dashboard.port")
    }
}
