/// StoreKit configuration files, composed of the members that each format has. Xcode sorts members by name.
enum StoreKitText {
    /// Format 1 has neither an identifier nor a list of passes, and empty settings.
    static let first = """
        {
          "products" : [
            {
              "displayPrice" : "1.99",
              "familyShareable" : true,
              "internalID" : "0A0B0C01",
              "localizations" : [
                { "description" : "Works without a network", "displayName" : "Offline maps", "locale" : "en_US" }
              ],
              "productID" : "com.example.app.addon.maps",
              "referenceName" : "maps",
              "type" : "NonConsumable"
            },
            {
              "displayPrice" : "29",
              "familyShareable" : false,
              "internalID" : "0A0B0C02",
              "localizations" : [ { "description" : "", "displayName" : "", "locale" : "en_US" } ],
              "productID" : "com.example.app.coins",
              "referenceName" : "coins",
              "type" : "Consumable"
            }
          ],
          "settings" : { },
          "subscriptionGroups" : [ ],
          "version" : { "major" : 1, "minor" : 0 }
        }
        """

    /// Format 2 may hold a private key.
    static let second = """
        {
          "identifier" : "7A11C0D2",
          "nonRenewingSubscriptions" : [
            {
              "displayPrice" : "4.99", "familyShareable" : false, "internalID" : "0A0B0C03",
              "localizations" : [ { "description" : "", "displayName" : "Una semana", "locale" : "es_419" } ],
              "productID" : "com.example.app.week", "referenceName" : "week", "type" : "NonRenewingSubscription"
            }
          ],
          "products" : [ ],
          "settings" : { "_askToBuyEnabled" : false, "_locale" : "en_US", "_storeKitError" : 0, "_timeRate" : 0 },
          "subscriptionGroups" : [ ],
          "subscriptionOffersKeyPair" : { "id" : "canary1", "privateKey" : "canary2" },
          "version" : { "major" : 2, "minor" : 0 }
        }
        """

    /// Format 3, with two passes and nothing else.
    static let passes = """
        { "identifier": "7A11C0DE", "nonRenewingSubscriptions": [
            { "displayPrice": "9.99", "familyShareable": false, "internalID": "00A1B2C3",
              "localizations": [ { "description": "30 days", "displayName": "30-day pass", "locale": "en_US" } ],
              "productID": "com.example.pass.30d", "referenceName": "pass 30d", "type": "NonRenewingSubscription" },
            { "displayPrice": "24.99", "familyShareable": false, "internalID": "00A1B2C4",
              "localizations": [ { "description": "90 days", "displayName": "90-day pass", "locale": "en_US" } ],
              "productID": "com.example.pass.90d", "referenceName": "pass 90d", "type": "NonRenewingSubscription" } ],
          "products": [], "settings": {}, "subscriptionGroups": [], "version": { "major": 3, "minor": 0 } }
        """

    /// Format 3, with a group of plans that Xcode numbered itself.
    static let third = """
        {
          "identifier" : "7A11C0D3",
          "nonRenewingSubscriptions" : [ ],
          "products" : [ ],
          "settings" : {
            "_locale" : "en_US", "_storefront" : "USA",
            "_storeKitErrors" : [ { "current" : null, "enabled" : false, "name" : "Load Products" } ]
          },
          "subscriptionGroups" : [
            {
              "id" : "5D00C0DE", "localizations" : [ ], "name" : "Pro",
              "subscriptions" : [
                {
                  "adHocOffers" : [ ], "codeOffers" : [ ], "displayPrice" : "2.99", "familyShareable" : false,
                  "groupNumber" : 1, "internalID" : "0A0B0C04", "introductoryOffer" : null,
                  "localizations" : [ { "description" : "", "displayName" : "Monthly", "locale" : "en_US" } ],
                  "productID" : "com.example.app.pro.monthly", "recurringSubscriptionPeriod" : "P1M",
                  "referenceName" : "monthly", "subscriptionGroupID" : "5D00C0DE", "type" : "RecurringSubscription"
                },
                {
                  "adHocOffers" : [ ], "codeOffers" : [ ], "displayPrice" : "19.99", "familyShareable" : true,
                  "groupNumber" : 1, "internalID" : "0A0B0C05",
                  "introductoryOffer" : {
                    "internalID" : "0A0B0C06", "numberOfPeriods" : 1, "paymentMode" : "free",
                    "subscriptionPeriod" : "P1W"
                  },
                  "localizations" : [ { "description" : "", "displayName" : "Family", "locale" : "en_US" } ],
                  "productID" : "com.example.app.annual_3", "recurringSubscriptionPeriod" : "P1Y",
                  "referenceName" : "family", "subscriptionGroupID" : "5D00C0DE", "type" : "RecurringSubscription"
                }
              ]
            }
          ],
          "version" : { "major" : 3, "minor" : 0 }
        }
        """

    /// Format 4 may have policies and no settings. This one has the App Store's numbers.
    static let fourth = """
        {
          "appPolicies" : { "eula" : "", "policies" : [ { "locale" : "en_US", "policyText" : "", "policyURL" : "" } ] },
          "identifier" : "7A11C0D4",
          "nonRenewingSubscriptions" : [
            {
              "displayPrice" : "9.99", "familyShareable" : false, "internalID" : "6400000001",
              "localizations" : [
                { "description" : "30 days", "displayName" : "30-day pass", "locale" : "en_GB" },
                { "description" : "30 days", "displayName" : "30-day pass, no tax", "locale" : "en_US" },
                { "description" : "30 天", "displayName" : "30 天通行证", "locale" : "zh_Hans" },
                { "description" : "", "displayName" : "30 天通行證", "locale" : "zh_Hant" }
              ],
              "productID" : "com.example.app.pass.30d", "referenceName" : "pass", "type" : "NonRenewingSubscription"
            }
          ],
          "products" : [ ],
          "subscriptionGroups" : [
            {
              "id" : "21000001", "localizations" : [ ], "name" : "Pro",
              "subscriptions" : [
                {
                  "adHocOffers" : [ ], "codeOffers" : [ ], "displayPrice" : "2.99", "familyShareable" : false,
                  "groupNumber" : 1, "internalID" : "6400000002", "introductoryOffer" : null, "localizations" : [ ],
                  "productID" : "com.example.app.pro", "recurringSubscriptionPeriod" : "P1W",
                  "referenceName" : "pro", "subscriptionGroupID" : "21000001", "type" : "RecurringSubscription",
                  "winbackOffers" : [ ]
                }
              ]
            }
          ],
          "version" : { "major" : 4, "minor" : 0 }
        }
        """

    /// Format 5 has several introductory offers and billing plans.
    static let fifth = """
        {
          "appPolicies" : { "eula" : "", "policies" : [ ] },
          "identifier" : "7A11C0D5",
          "nonRenewingSubscriptions" : [ ],
          "products" : [ ],
          "settings" : { "_applicationInternalID" : "6400000000", "_disableDialogs" : false },
          "subscriptionGroups" : [
            {
              "id" : "21000002", "localizations" : [ ], "name" : "Pro",
              "subscriptions" : [
                {
                  "adHocOffers" : [ ],
                  "billingPlans" : [
                    {
                      "billingPlanType" : "MONTHLY", "commitmentDisplayPrice" : "35.88", "displayPrice" : "2.99",
                      "internalID" : "6400000003", "isEnabled" : true
                    }
                  ],
                  "codeOffers" : [ ], "displayPrice" : "29.99", "familyShareable" : true, "groupNumber" : 1,
                  "internalID" : "6400000004", "introductoryOffer" : null,
                  "introductoryOffers" : [
                    {
                      "billingPlanType" : "UP_FRONT", "displayPrice" : "0.99", "internalID" : "6400000005",
                      "numberOfPeriods" : 1, "paymentMode" : "payUpFront", "subscriptionPeriod" : "P1M"
                    }
                  ],
                  "localizations" : [ { "description" : "", "displayName" : "Yearly", "locale" : "en_US" } ],
                  "productID" : "com.example.app.yearly", "recurringSubscriptionPeriod" : "P1Y",
                  "referenceName" : "yearly", "subscriptionGroupID" : "21000002", "type" : "RecurringSubscription",
                  "winbackOffers" : [ ]
                }
              ]
            }
          ],
          "version" : { "major" : 5, "minor" : 0 }
        }
        """
}
