import FoundationEssentials
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// A web page of another origin, in a real browser (`docs/web.md`).
    @Suite(.enabled("Chromium is not here and cannot be installed") { await Browser.path.value != nil })
    struct Web {
        /// The client of the document, as it stands there.
        private static func client() throws -> String {
            let document = try String(contentsOfFile: TestRun.repository + "/docs/web.md", encoding: .utf8)
            let samples = document.split(separator: "```js\n").dropFirst()
            let client = samples.first { $0.contains("export class Gatepass") }
            return String(try #require(client?.split(separator: "```\n").first))
        }

        /// A page that tries everything and reports what it read, each try by its name.
        private static func page(of server: EndToEndServer, user: String, key: String) throws -> String {
            """
            <!doctype html>
            <title>Shop</title>
            <p id="tier"></p>
            <script type="module">
            \(try client())
            const server = "http://127.0.0.1:\(server.port)";
            const token = "\(EndToEndServer.token(of: user))";
            const gatepass = new Gatepass(server, async () => token);
            const consent = (consented) =>
              gatepass.send("PUT", "/api/iap/apple/consumption-consent", { consented });
            const answers = [];
            const fetchOfBrowser = globalThis.fetch;
            globalThis.fetch = async (...asked) => {
              const answer = await fetchOfBrowser(...asked);
              answers.push(answer.status);
              return answer;
            };
            const report = {};
            const attempt = async (name, work) => {
              try { report[name] = await work(); } catch (error) {
                report[name] = { error: error.name, code: error.code, retry_after: error.retryAfter };
              }
            };
            await attempt("status", async () => {
              const status = await gatepass.status();
              document.getElementById("tier").textContent = status.tier;
              return { tier: document.getElementById("tier").textContent, user: status.user_id };
            });
            await attempt("again", async () => ({ tier: (await gatepass.status()).tier, answers: answers.join() }));
            await attempt("signed_out", () => new Gatepass(server, async () => "none").status());
            await attempt("consent", () => consent(true));
            await attempt("too_often", () => consent(false));
            await attempt("fields", async () => {
              const headers = { Authorization: `Bearer ${token}`, "X-Request-Id": "from-a-page" };
              const answer = await fetch(server + "/api/credits", { headers });
              const names = ["RateLimit", "RateLimit-Policy", "X-Request-Id"];
              return Object.fromEntries(names.map((name) => [name, answer.headers.get(name)]));
            });
            await attempt("too_large", async () => {
              const headers = { Authorization: "Bearer none", "X-Request-Id": "x".repeat(40000) };
              return (await fetch(server + "/api/credits", { headers })).json();
            });
            await attempt("cookies", async () =>
              (await fetch(server + "/api/credits", { credentials: "include" })).status);
            await attempt("products", async () =>
              ({ count: (await (await fetch(server + "/api/iap/apple/products")).json()).products.length }));
            await attempt("key", async () => {
              const headers = { Authorization: "Bearer \(key)" };
              return (await fetch(server + "/api/admin/users/\(user)/status", { headers })).json();
            });
            await attempt("alive", async () => (await fetch(server + "/livez")).json());
            await fetchOfBrowser("/report", { method: "POST", body: JSON.stringify(report) });
            </script>
            """
        }

        @Test func `a page of a listed origin shows a status, gets a 304 and reads problems, and no other does`()
            async throws
        {
            let port = PrivateMariaDB.freePort()
            let server = try await EndToEndServer.start([
                "GATEPASS_HTTP_ALLOWED_ORIGINS": "http://127.0.0.1:\(port)",
                "GATEPASS_RATE_LIMITS_ATTACH_PER_MINUTE": "1", "GATEPASS_RATE_LIMITS_READ_PER_MINUTE": "10000",
            ])
            let pass = try server.sign(EndToEndServer.pass(at: now - day))
            #expect(try await server.attach(pass, as: "reader").status == 200)
            let made = try await server.command(["keys", "create", "--scopes", "admin", "--json", "--name", "page"])
            let key = try #require(JSONValue(try StrictJSON(Array(made.text.utf8)))["key"]?.string)
            let page = try Self.page(of: server, user: "reader", key: key)
            func isClosed(_ name: String, in report: EndToEndAnswer) -> Bool {
                report.string(name + ".error") == "TypeError"
            }

            let listed = try await Browser.report(of: page, host: "127.0.0.1", port: port)
            #expect(listed.string("status.tier") == "pro" && listed.string("status.user") == "reader", "\(listed.text)")
            #expect(listed.string("again.tier") == "pro" && listed.string("again.answers") == "200,304")
            #expect(listed.string("signed_out.code") == "unauthenticated")
            #expect(listed.string("too_often.code") == "rate_limited", "\(listed.text)")
            #expect((1...60).contains(listed.integer("too_often.retry_after") ?? 0))
            #expect(listed.string("fields.RateLimit")?.hasPrefix("\"read\";r=99") == true, "\(listed.text)")
            #expect(listed.string("fields.RateLimit-Policy") == "\"read\";q=10000;w=60")
            #expect(listed.string("fields.X-Request-Id") == "from-a-page")
            #expect(listed.string("too_large.code") == "headers_too_large", "\(listed.text)")
            #expect(listed.integer("products.count") == 5)
            for name in ["cookies", "key", "alive"] { #expect(isClosed(name, in: listed), "\(listed.text)") }

            let other = try await Browser.report(of: page, host: "localhost", port: port)
            for name in [
                "status", "again", "signed_out", "consent", "too_often", "fields", "too_large", "cookies", "key",
                "alive",
            ] {
                #expect(isClosed(name, in: other), "\(name): \(other.text)")
            }
            #expect(other.integer("products.count") == 5, "a document is for anybody")
            #expect(!other.text.contains("reader"))
            #expect(try await server.end() == 0)
        }
    }
}
