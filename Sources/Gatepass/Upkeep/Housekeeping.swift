import LedgerStore
import Logging
import MariaDB
import ServiceLifecycle

/// Maintenance of the database, at the start and then once a minute.
///
/// A round deletes expired answers of idempotency keys, and signed texts, also of deliveries, that are older than the
/// settings allow, and sign-ins of staff that are over. It also logs the audit trail's head, the number and hash of the
/// newest entry. Somebody who changes the trail in the database cannot change the log.
struct Housekeeping: Service {
    private static let interval = Duration.seconds(60)
    /// The pause while the database cannot be reached.
    private static let pause = Duration.seconds(1)

    let pool: Pool
    let retention: Settings.Retention
    let clock: WallClock
    let logger: Logger

    /// Works until the process is to end. Throws nothing.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var logged = AuditHead.empty
            while !Task.isCancelled {
                // `try?` drops the error: a failed deletion is repeated a minute later.
                _ = try? await IdempotencyKeys(
                    pool: pool, now: clock.now, random: Surroundings.attemptName
                ).sweep()
                if let days = retention.signedTextsDays {
                    _ = try? await SignedTexts(pool: pool).sweep(olderThanDays: days, at: clock.now())
                }
                if let days = retention.inboxDays {
                    _ = try? await SignedTexts(pool: pool).sweepDeliveries(olderThanDays: days, at: clock.now())
                }
                _ = try? await Lookups.sweep(pool, at: clock.now())
                _ = try? await Staff(pool: pool).sweep()
                let head = try? await AuditTrail.head(from: pool)
                if let head, head != logged {
                    logger.notice("audit head", metadata: ["head": "\(head)"])
                    logged = head
                }
                try? await Task.sleep(for: head == nil ? Self.pause : Self.interval)  // cancelled: the loop ends
            }
        }
    }
}
