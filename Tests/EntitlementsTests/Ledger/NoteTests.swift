import Entitlements
import Testing

/// The words that stand beside a fact (`api.md`, "For servers").
struct NoteTests {
    @Test func `a reason has at most five hundred characters`() {
        #expect((1...Note.longestReason).contains(500) && !(1...Note.longestReason).contains(501))
    }
}
