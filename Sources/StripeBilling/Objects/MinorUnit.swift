/// The smallest unit of a currency, in which Stripe writes amounts (`stripe.md` §7).
enum MinorUnit {
    /// The thousandths of the unit of `currency`, an ISO 4217 code in upper-case letters, in the smallest unit that
    /// Stripe counts; nil if the code is none of a currency.
    static func milliunits(of currency: String) -> Int64? {
        if whole.contains(currency) { return 1_000 }
        if thousandths.contains(currency) { return 1 }
        return hundredths.contains(currency) ? 10 : nil
    }

    private static let whole = codes("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF")
    private static let thousandths = codes("BHD JOD KWD OMR TND")
    /// All other currencies of ISO 4217, without funds, metals and testing codes. ISO 4217 itself gives some of them
    /// no hundredths, such as ISK and UGX.
    private static let hundredths = codes(
        """
        AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP
        CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS
        INR IQD IRR ISK JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MKD MMK MNT MOP MRU MUR MVR MWK MXN
        MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS
        SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG
        ZWL
        """)

    private static func codes(_ text: String) -> Set<String> {
        Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    }
}
