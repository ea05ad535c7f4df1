import EntitlementAPI
import LedgerStore

extension Dashboard {
    /// The overview, the lists, and the forms in their rows.
    var lists: [Endpoint] {
        [
            signed("/dashboard/overview", .read, OverviewPage.show),
            signed("/dashboard/users", .read, UsersPage.show),
            signed("/dashboard/deliveries", .read, DeliveriesPage.show),
            signedForm("/dashboard/deliveries/{delivery_id}/replay", .write, DeliveriesPage.replay),
            signedForm("/dashboard/deliveries/{delivery_id}/body", .write, DeliveriesPage.open),
            signed("/dashboard/jobs", .read, JobsPage.show),
            signedForm("/dashboard/jobs/{job_id}/revive", .write, JobsPage.revive),
            signed("/dashboard/anomalies", .read, AnomaliesPage.show),
            signed("/dashboard/late-passes", .read, LatePassesPage.show),
            signed("/dashboard/conflicts", .read, ConflictsPage.show),
            signed("/dashboard/refund-questions", .read, RefundQuestionsPage.show),
            signed("/dashboard/testers", .read, TestersPage.show),
            signed("/dashboard/reconciliations", .read, ReconciliationsPage.show),
            signed("/dashboard/catalogue", .read, CataloguePage.show),
            signed("/dashboard/compensations", .write, CompensationsPage.show),
            signedForm("/dashboard/compensations", .write, CompensationsPage.send)
                .allowing(seconds: CompensationsPage.deadlineSeconds),
            signed("/dashboard/api-keys", .admin, APIKeysPage.show),
            signedForm("/dashboard/api-keys", .admin, APIKeysPage.create),
            signed("/dashboard/api-keys/{key_id}/revoke", .admin, APIKeysPage.askToRevoke),
            signedForm("/dashboard/api-keys/{key_id}/revoke", .admin, APIKeysPage.revoke),
            signed("/dashboard/staff", .admin, StaffPage.show),
            signedForm("/dashboard/staff", .admin, StaffPage.create),
            signedForm("/dashboard/staff/{staff_id}/reset", .admin, StaffPage.reset),
            signedForm("/dashboard/staff/{staff_id}/disable", .admin, StaffPage.disable),
            signedForm("/dashboard/staff/{staff_id}/sign-out", .admin, StaffPage.signOut),
            signedForm("/dashboard/staff/{staff_id}/role", .admin, StaffPage.change),
            signed("/dashboard/audit", .audit, AuditPage.show),
            signed("/dashboard/audit.csv", .audit, AuditPage.table),
        ]
    }
}
