import Entitlements
import Testing

@testable import AppStore

/// What Apple is told, in its own words (`apple.md` §10.3, §10.5).
struct AppStoreAnswerTests {
    private static func text(_ answer: ConsumptionAnswer) -> String {
        let question = AppStoreQuestion.consumption(of: TransactionID("2000"), answer)
        #expect(question.path == "/inApps/v2/transactions/consumption/2000" && question.method == "PUT")
        return String(decoding: question.body ?? [], as: UTF8.self)
    }

    @Test func `an answer about consumption has Apple's members, and none where there is nothing to say`() {
        #expect(
            Self.text(
                ConsumptionAnswer(isDelivered: true, share: 70_000, preference: .grantProrated, providesSamples: false))
                == #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED","#
                + #""consumptionPercentage":70000,"refundPreference":"GRANT_PRORATED"}"#)
        #expect(
            Self.text(ConsumptionAnswer(isDelivered: false, share: 0, preference: .grantFull, providesSamples: true))
                == #"{"customerConsented":true,"sampleContentProvided":true,"deliveryStatus":"UNDELIVERED_OTHER","#
                + #""consumptionPercentage":0,"refundPreference":"GRANT_FULL"}"#)
        for (preference, member) in [(RefundPreference.none, ""), (.decline, #","refundPreference":"DECLINE""#)] {
            let answer = ConsumptionAnswer(
                isDelivered: true, share: nil, preference: preference, providesSamples: false)
            #expect(
                Self.text(answer)
                    == #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED""#
                    + member + "}")
        }
    }

    @Test func `an account token is told about the original transaction, in lower case`() throws {
        let token = try #require(AccountToken("0F3B8C9E-5F6D-4A7B-8C9D-0E1F2A3B4C5D"))
        let question = AppStoreQuestion.accountToken(of: ExternalID("2000"), token)
        #expect(question.path == "/inApps/v1/transactions/2000/appAccountToken" && question.method == "PUT")
        #expect(
            String(decoding: question.body ?? [], as: UTF8.self)
                == #"{"appAccountToken":"0f3b8c9e-5f6d-4a7b-8c9d-0e1f2a3b4c5d"}"#)
    }
}
