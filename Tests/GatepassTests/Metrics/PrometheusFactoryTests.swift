import Foundation
import class Metrics.Timer
import Metrics
import Support
import Testing

@testable import Gatepass

/// What is counted stands on the page as Prometheus reads it.
@Suite struct PrometheusFactoryTests {
    private static let families = [
        MetricFamily("a_total", .counter, #"Says "a" and \ and"# + "\nmore."),
        MetricFamily("b", .gauge, "B."), MetricFamily("c_seconds", .histogram([0.5, 1]), "C."),
        MetricFamily("d_bytes", .histogram([10]), "D."),
    ]

    private let factory = PrometheusFactory(families)

    private var page: String {
        var page = ExpositionText()
        for family in Self.families { factory.write(family, to: &page) }
        return page.text
    }

    @Test func `what nobody counted is not on the page`() {
        #expect(page.isEmpty)
    }

    @Test func `a counter counts up, under labels in the order of their names, whose values are escaped`() {
        let counter = Counter(label: "a_total", dimensions: [("z", "\"\\\n"), ("b", "é")], factory: factory)
        counter.increment(by: 2)
        Counter(label: "a_total", dimensions: [("b", "é"), ("z", "\"\\\n")], factory: factory).increment()
        Counter(label: "a_total", factory: factory).increment(by: 0)
        #expect(
            page == #"""
                # HELP a_total Says "a" and \\ and\nmore.
                # TYPE a_total counter
                a_total 0
                a_total{b="é",z="\"\\\n"} 3

                """#)
    }

    @Test func `a gauge and a meter hold the last value`() {
        let meter = Meter(label: "b", factory: factory)
        meter.set(3)
        meter.increment(by: 0.5)
        meter.decrement(by: 4.0)
        #expect(page.contains("# TYPE b gauge\nb -0.5\n"))
        Gauge(label: "b", factory: factory).record(7)
        #expect(page.contains("\nb 7\n"))
    }

    @Test func `a timer is a histogram in seconds, whose buckets include those below`() {
        let timer = Timer(label: "c_seconds", dimensions: [("k", "v")], factory: factory)
        for milliseconds in [100, 500, 501, 1_000, 2_000] { timer.recordMilliseconds(milliseconds) }
        #expect(
            page == """
                # HELP c_seconds C.
                # TYPE c_seconds histogram
                c_seconds_bucket{k="v",le="0.5"} 2
                c_seconds_bucket{k="v",le="1"} 4
                c_seconds_bucket{k="v",le="+Inf"} 5
                c_seconds_sum{k="v"} 4.101
                c_seconds_count{k="v"} 5

                """)
        Recorder(label: "d_bytes", factory: factory).record(11)
        #expect(page.contains("d_bytes_bucket{le=\"10\"} 0\nd_bytes_bucket{le=\"+Inf\"} 1\nd_bytes_sum 11\n"))
    }

    @Test func `a name that is not described, or as another kind, is not kept`() {
        Counter(label: "stranger_total", factory: factory).increment()
        Counter(label: "b", factory: factory).increment()
        Timer(label: "a_total", factory: factory).recordSeconds(1)
        Meter(label: "a_total", factory: factory).set(1)
        Counter(label: "a_total", factory: factory).increment(by: 5)
        Meter(label: "a_total", factory: factory).set(1)
        #expect(page.contains("\na_total 5\n") && !page.contains("stranger") && !page.contains("TYPE b"))
    }

    @Test func `many who count at once lose nothing`() async {
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask { [factory] in
                    for _ in 0..<1_000 {
                        let labels = [("worker", "\(worker % 2)")]
                        Counter(label: "a_total", dimensions: labels, factory: factory).increment()
                        Timer(label: "c_seconds", factory: factory).recordSeconds(1)
                    }
                }
            }
        }
        #expect(page.contains("a_total{worker=\"0\"} 4000\na_total{worker=\"1\"} 4000\n"))
        #expect(page.contains("c_seconds_sum 8000\nc_seconds_count 8000\n"))
    }

    @Test(arguments: [
        (0.0, "0"), (-3, "-3"), (0.25, "0.25"), (1e15, "1000000000000000"), (1e300, "1e+300"), (.infinity, "+Inf"),
        (-.infinity, "-Inf"), (.nan, "NaN"),
    ])
    func `numbers are written as Prometheus reads them`(value: Double, text: String) {
        #expect(ExpositionText.number(value) == text)
    }

    @Test func `names end in their unit, and every family says what it is`() {
        let families = MetricFamily.all
        #expect(Set(families.map(\.name)).count == families.count)
        for family in families {
            #expect(family.name.hasPrefix("gatepass_") && family.help.hasSuffix("."), "\(family.name)")
            #expect((family.kind == .counter) == family.name.hasSuffix("_total"), "\(family.name)")
            #expect(!family.name.contains("milli"), "\(family.name)")
        }
    }

    @Test func `promtool finds what is wrong with a page, and with rules, and nothing wrong with ours`() throws {
        let path = "/tmp/gatepass-rules-\(UInt32.random(in: .min ... .max))"
        defer { try? FileManager.default.removeItem(atPath: path) }  // it is under /tmp
        try Data("# TYPE a counter\na 1\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try Promtool.complaints(check: "metrics", of: path).contains("a no help text"))
        try Data("groups: [{name: a, rules: [{alert: A, expr: 'sum('}]}]".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try Promtool.complaints(check: "rules", of: path).contains("parse error"))
        #expect(try Promtool.complaints(check: "rules", of: TestRun.repository + "/docs/alerts.yaml") == "")
    }

    /// Series of an hour and a half, and the alerts that they raise.
    private static let alertTests = """
        rule_files: ["\(TestRun.repository)/docs/alerts.yaml"]
        evaluation_interval: 1m
        tests:
          - interval: 1m
            input_series:
              - series: 'gatepass_http_requests_total{route="/api/billing/webhooks/stripe",status="400"}'
                values: '0+1x90'
              - series: 'gatepass_http_requests_total{route="/api/billing/webhooks/apple",status="400"}'
                values: '0+1x90'
              - series: 'gatepass_http_requests_total{route="/api/billing/webhooks/apple",status="200"}'
                values: '0+1x90'
              - series: 'gatepass_http_requests_total{route="/api/iap/status",status="200"}'
                values: '0+10x90'
              - series: 'gatepass_http_requests_total{route="/api/iap/status",status="503"}'
                values: '0+1x90'
              - {series: 'gatepass_serving{instance="a"}', values: '1x60 0x30'}
              - {series: 'gatepass_serving{instance="b"}', values: '0x90'}
            alert_rule_test:
              - alertname: GatepassWebhooksRefused
                eval_time: 80m
                exp_alerts:
                  - exp_labels: {severity: critical, route: /api/billing/webhooks/stripe}
                    exp_annotations: {summary: All deliveries to /api/billing/webhooks/stripe are refused.}
              - alertname: GatepassServerErrors
                eval_time: 50m
                exp_alerts:
                  - exp_labels: {severity: critical, route: /api/iap/status}
                    exp_annotations: {summary: 9.091% of the answers of /api/iap/status are 5xx.}
              - {alertname: GatepassNotServing, eval_time: 50m, exp_alerts: []}
              - alertname: GatepassNotServing
                eval_time: 70m
                exp_alerts: [{exp_labels: {severity: critical}, exp_annotations: {summary: No instance serves.}}]
        """

    @Test func `an alert tells that nothing serves, that a route fails, and that a store is refused`() throws {
        let path = "/tmp/gatepass-alerts-\(UInt32.random(in: .min ... .max))"
        defer { try? FileManager.default.removeItem(atPath: path) }  // it is under /tmp
        try Data(Self.alertTests.utf8).write(to: URL(fileURLWithPath: path))
        #expect(try Promtool.complaints(check: "tests", of: path) == "")
    }

    @Test func `the documents and the alerts name the families that there are`() throws {
        let names = Set(MetricFamily.all.map(\.name))
        let page = try String(contentsOfFile: TestRun.repository + "/docs/operations.md", encoding: .utf8)
        #expect(names.filter { !page.contains("| `\($0)` |") } == [])
        let rules = try String(contentsOfFile: TestRun.repository + "/docs/alerts.yaml", encoding: .utf8)
        let used = rules.matches(of: /gatepass_[a-z_]+/).map { String($0.output) }
        #expect(used.count >= 8 && used.filter { !names.contains($0) } == [])
    }

    @Test func `the alerts ask for labels that the documents name`() throws {
        let labels = try DocumentedMetrics.labels()
        let rules = try String(contentsOfFile: TestRun.repository + "/docs/alerts.yaml", encoding: .utf8)
        var asked = 0
        for rule in rules.split(separator: "- alert:").dropFirst() {
            let names = rule.matches(of: /gatepass_[a-z_]+/).map { String($0.output) }
            let known = try #require(names.first.flatMap { labels[$0] }, "\(rule)")
            let matched = rule.matches(of: /([a-z_]+)=~?"/).map { String($0.output.1) }
            let shown = rule.matches(of: /\$labels\.([a-z_]+)/).map { String($0.output.1) }
            #expect(Set(matched + shown).subtracting(known) == [], "\(rule)")
            asked += matched.count + shown.count
        }
        #expect(asked >= 6)
    }
}
