/// The sentences about a change of plan in one language.
struct PlanChangeWords: Sendable {
    /// A counted noun in singular and plural; `#` stands for the number.
    struct Counted: Sendable {
        let one: String
        let other: String

        func callAsFunction(_ count: Int) -> String {
            (count == 1 ? one : other).split(separator: "#", omittingEmptySubsequences: false)
                .joined(separator: String(count))
        }
    }

    let devices: Counted
    let activeDevices: Counted
    /// The sentence for a user without a plan, who would get seats for `target` devices.
    let subscribe: @Sendable (_ target: String) -> String
    /// The sentence for a target that has as many seats as the present plan.
    let already: @Sendable (_ current: String) -> String
    let instead: @Sendable (_ target: String, _ current: Int) -> String
    /// The sentence for a change that is not allowed, because active devices must be released first.
    let release: @Sendable (_ active: String, _ target: String, _ release: String) -> String

    /// The language for a request that wants none of the languages below.
    static let fallback = "en"

    /// The words of each language, by its BCP 47 tag.
    static let table: [String: PlanChangeWords] = [
        "en": PlanChangeWords(
            devices: Counted(one: "# device", other: "# devices"),
            activeDevices: Counted(one: "# active device", other: "# active devices"),
            subscribe: { "Subscribe to use up to \($0)." },
            already: { "You can already use \($0)." },
            instead: { "You could use \($0) instead of \($1)." },
            release: { "You have \($0). To change to \($1), first suspend or remove \($2)." }),
        "it": PlanChangeWords(
            devices: Counted(one: "# dispositivo", other: "# dispositivi"),
            activeDevices: Counted(one: "# dispositivo attivo", other: "# dispositivi attivi"),
            subscribe: { "Abbonati per usare fino a \($0)." },
            already: { "Puoi già usare \($0)." },
            instead: { "Potresti usare \($0) invece di \($1)." },
            release: { "Hai \($0). Per passare a \($1), prima sospendi o rimuovi \($2)." }),
        "pt": PlanChangeWords(
            devices: Counted(one: "# dispositivo", other: "# dispositivos"),
            activeDevices: Counted(one: "# dispositivo ativo", other: "# dispositivos ativos"),
            subscribe: { "Assine para usar até \($0)." },
            already: { "Você já pode usar \($0)." },
            instead: { "Você poderia usar \($0) em vez de \($1)." },
            release: { "Você tem \($0). Para mudar para \($1), primeiro suspenda ou remova \($2)." }),
        "zh-Hans": PlanChangeWords(
            devices: Counted(one: "# 台设备", other: "# 台设备"),
            activeDevices: Counted(one: "# 台使用中的设备", other: "# 台使用中的设备"),
            subscribe: { "订阅后最多可使用 \($0)。" },
            already: { "您已经可以使用 \($0)。" },
            instead: { "您可以使用 \($0)，而不是 \($1) 台。" },
            release: { "您有 \($0)。若要改为 \($1)，请先停用或移除 \($2)。" }),
    ]
}
