import StoreSimulator
import Support
import Synchronization

extension EndToEndHistory {
    /// One random step: who does what to whom.
    struct Step {
        private let history: EndToEndHistory
        private let backend: EndToEndBackend
        private let key: String
        private let user: String
        private let die: Int
        private let number: Int

        /// Draws the same however far the others have come.
        init(_ chance: inout SeededChance, of history: EndToEndHistory, _ backend: EndToEndBackend, key: String) {
            self.history = history
            self.backend = backend
            self.key = key
            user = history.users[Int.random(in: 0..<3, using: &chance)]
            die = Int.random(in: 0..<21, using: &chance)
            number = Int.random(in: 0..<1_000, using: &chance)
        }

        /// Nil when there is nothing yet to do it to.
        var request: Request? {
            switch die {
            case 0...4: attach
            case 5: restore
            case 6...9: draw
            case 10, 11: reservationEnd
            case 12...15: device
            case 16: grant
            case 17: revoke
            case 18, 19: transfer
            default: number % 3 == 0 ? merge : asked("status", "", .look)
            }
        }

        private func asked(
            _ path: String, _ body: String, _ deed: Deed, key: String? = nil, method: String = "POST",
            for owner: String? = nil
        ) -> Request {
            Request(
                backend: backend, method: method, path: path, body: body, user: owner ?? user, key: key ?? self.key,
                deed: deed)
        }

        private func sent(_ path: String, _ body: String, _ deed: Deed) -> Request {
            Request(backend: backend, method: "POST", path: path, body: body, user: user, key: nil, deed: deed)
        }

        private var attach: Request {
            let good = history.goods[number % history.goods.count]
            let text = good.texts[number / history.goods.count % good.texts.count]
            let proof = number % 5 == 0 ? #","signedAppTransaction":"\#(history.proof)""# : ""
            let body = #"{"signedTransactionJWS":"\#(text)"\#(proof)}"#
            return sent(EndToEndServer.attachPath, body, .attach(good.id))
        }

        private var restore: Request {
            let goods = [0, 2, 5].map { history.goods[(number + $0) % history.goods.count] }
            let texts = goods.flatMap(\.texts).map(SimulatedPayload.quoted).joined(separator: ",")
            return sent(EndToEndServer.restorePath, #"{"signedTransactions":[\#(texts)]}"#, .restore)
        }

        /// A key stands for one amount, so that some requests are repeats.
        private var draw: Request {
            guard die == 9 else {
                let shared = "spend-\(number % 60)"
                let body = #"{"amount":\#(1 + number % 60),"reference":"\#(shared)"}"#
                return asked("credits/credit/spend", body, .spend(shared), key: shared)
            }
            let body = #"{"amount":\#(1 + number % 40),"ttl_seconds":3600}"#
            return asked("credits/credit/reservations", body, .reserve, key: "reserve-\(number % 40)")
        }

        private var reservationEnd: Request? {
            guard let (owner, id) = known(\.reservations) else { return nil }
            let path = "credits/reservations/\(id)/"
            guard die == 10 else { return asked(path + "release", "{}", .release(id), for: owner) }
            let body = number % 2 == 0 ? "{}" : #"{"amount":\#(1 + number % 7)}"#
            return asked(path + "commit", body, .commit(id), for: owner)
        }

        private var device: Request {
            let device = "d\(number % 9)"
            switch die {
            case 12, 13:
                let body = #"{"device_id":"\#(device)","pinned":\#(number % 4 == 0)}"#
                return asked("devices", body, .register(device))
            case 14: return asked("devices/\(device)", "{}", .device, method: "DELETE")
            default:
                return asked("devices/\(device)/" + ["suspend", "reactivate", "seen"][number % 3], "{}", .device)
            }
        }

        private var grant: Request {
            let gift =
                number % 2 == 0
                ? #""kind":"credits","unit":"credit","amount":\#(1 + number % 90)"#
                : #""kind":"add_days","tier":"\#(number % 3 == 0 ? "basic" : "pro")","days":3"#
            return asked("grants", "{\(gift),\"reason\":\"history\",\"reference\":\"h\"}", .grant)
        }

        private var revoke: Request? {
            guard let (owner, id) = known(\.grants) else { return nil }
            return asked("grants/\(id)/revoke", #"{"reason":"history"}"#, .revoke(id), for: owner)
        }

        private var transfer: Request {
            let grant = number % 4 == 0 ? known(\.grants)?.id : nil
            let id = grant ?? history.goods[number % history.goods.count].id
            let body = #"{"external_id":"\#(id)","to_user_id":"\#(somebodyElse)","reason":"history"}"#
            return asked("transfer", body, .transfer(to: somebodyElse))
        }

        private var merge: Request {
            let body = #"{"from_user_id":"\#(somebodyElse)","reason":"history"}"#
            return asked("merge", body, .merge(of: somebodyElse))
        }

        private var somebodyElse: String {
            let others = history.users.filter { $0 != user }
            return others[number / 3 % others.count]
        }

        /// One of what was made before, and whose it was then; kept as `user|id`.
        private func known(_ list: (State) -> [String]) -> (owner: String, id: String)? {
            history.state.withLock { state in
                let all = list(state)
                guard !all.isEmpty else { return nil }
                let parts = all[number % all.count].split(separator: "|").map(String.init)
                return (parts[0], parts[1])
            }
        }
    }
}
