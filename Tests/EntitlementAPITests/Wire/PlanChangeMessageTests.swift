import Entitlements
import Testing

@testable import EntitlementAPI

/// What people read of a change of plan (`api.md`, "Change of plan").
struct PlanChangeMessageTests {
    private static func change(
        _ action: PlanChange.Action, from current: Int = 3, to target: Int, active: Int = 0, releasing count: Int = 0
    ) -> PlanChange {
        PlanChange(
            action: action, currentDevices: current, targetDevices: target, activeDevices: active,
            devicesToRelease: (0..<count).map { Label("d\($0)") })
    }

    private static func message(_ change: PlanChange, _ languages: String?) -> PlanChangeMessage {
        PlanChangeMessage(change, in: AcceptLanguage(languages))
    }

    @Test func `English sentences count their devices`() {
        func english(_ change: PlanChange) -> String { Self.message(change, "en").text }
        #expect(english(Self.change(.subscribe, to: 1)) == "Subscribe to use up to 1 device.")
        #expect(english(Self.change(.current, to: 3)) == "You can already use 3 devices.")
        #expect(english(Self.change(.upgrade, to: 5)) == "You could use 5 devices instead of 3.")
        #expect(english(Self.change(.downgrade, to: 1)) == "You could use 1 device instead of 3.")
        #expect(
            english(Self.change(.downgrade, to: 1, active: 2, releasing: 1))
                == "You have 2 active devices. To change to 1 device, first suspend or remove 1 device.")
        #expect(
            english(Self.change(.downgrade, to: 0, active: 1, releasing: 1))
                == "You have 1 active device. To change to 0 devices, first suspend or remove 1 device.")
    }

    @Test(arguments: [
        ("it", "Hai 3 dispositivi attivi. Per passare a 1 dispositivo, prima sospendi o rimuovi 2 dispositivi."),
        (
            "pt",
            "Você tem 3 dispositivos ativos. "
                + "Para mudar para 1 dispositivo, primeiro suspenda ou remova 2 dispositivos."
        ),
        ("zh-Hans", "您有 3 台使用中的设备。若要改为 1 台设备，请先停用或移除 2 台设备。"),
    ])
    func `a refusal is in the language of who asks`(language: String, text: String) {
        let message = Self.message(Self.change(.downgrade, to: 1, active: 3, releasing: 2), language)
        #expect(message.text == text && message.language == language)
    }

    @Test(arguments: [
        (nil, "en"), ("", "en"), ("*", "en"), ("fr", "en"), ("fr, it;q=0.2", "it"), ("it;q=0", "en"), ("IT-ch", "it"),
        ("pt-BR, en;q=0.9", "pt"), ("zh", "zh-Hans"), ("zh-CN", "zh-Hans"), ("zh-Hans-CN", "zh-Hans"),
        ("en;q=0.5, pt;q=0.8", "pt"), ("en-GB", "en"),
    ])
    func `the best language that there is, else English`(field: String?, language: String) {
        let change = Self.change(.upgrade, to: 5)
        let message = Self.message(change, field)
        #expect(message.language == language && message.text == Self.message(change, language).text)
    }

    @Test func `every language has every sentence, each with its numbers and none in another's words`() {
        #expect(PlanChangeWords.table.keys.sorted() == ["en", "it", "pt", "zh-Hans"])
        #expect(PlanChangeWords.table[PlanChangeWords.fallback] != nil)
        let changes = [
            (Self.change(.subscribe, from: 0, to: 71), ["71"]), (Self.change(.current, from: 72, to: 72), ["72"]),
            (Self.change(.upgrade, from: 73, to: 74), ["73", "74"]),
            (Self.change(.downgrade, from: 75, to: 76, active: 79, releasing: 2), ["76", "79", "2"]),
        ]
        for (change, numbers) in changes {
            let texts = PlanChangeWords.table.keys.map { Self.message(change, $0).text }
            #expect(Set(texts).count == 4)
            for text in texts {
                #expect(numbers.allSatisfy { text.contains($0) } && !text.contains("#"), "\(text)")
                #expect(text.hasSuffix(".") || text.hasSuffix("。"), "\(text)")
            }
        }
    }
}
