import Testing

@testable import Entitlements

struct UserIDTests {
    @Test(arguments: [
        "u1", "7", "_", "_-_8Wc7h2Zl5Yw==", "auth0|66f1a2b3c4d5e6f708192a3b", "google-oauth2|103547991597142817347",
        "anna+news@example.com", "kLxzv2cA9fYb3pQe7RtUoWs1iJd2", "a.b:c@d|e+f=g-h_i", "apple-1", "u|", "u=", "u+", "u_",
        String(repeating: "a", count: 128),
    ])
    func `ids of usual logins are taken as they are`(text: String) {
        #expect(UserID(text)?.text == text && UserID.defect(of: text) == nil)
    }

    @Test(arguments: [
        ("", "A user id has 1 to 128 characters, and this one has 0."),
        (String(repeating: "a", count: 129), "A user id has 1 to 128 characters, and this one has 129."),
        ("a b", "A user id may not have the character U+0020."),
        ("a/b", "A user id may not have the character / (U+002F)."),
        ("a%40b", "A user id may not have the character % (U+0025)."),
        ("#7", "A user id may not have the character # (U+0023)."),
        ("a\u{0}", "A user id may not have the character U+0000."),
        ("é", "A user id may not have the character U+00E9."),
        ("\u{65}\u{301}", "A user id may not have the character U+0301."),
        ("\u{212A}", "A user id may not have the character U+212A."),
        ("a😀", "A user id may not have the character U+1F600."),
        (String(repeating: "a", count: 128) + "é", "A user id may not have the character U+00E9."),
        ("-1", "A user id begins with a letter, a digit or _, and not with the character - (U+002D)."),
        ("=1+1", "A user id begins with a letter, a digit or _, and not with the character = (U+003D)."),
        ("+1", "A user id begins with a letter, a digit or _, and not with the character + (U+002B)."),
        ("@a", "A user id begins with a letter, a digit or _, and not with the character @ (U+0040)."),
        ("|", "A user id begins with a letter, a digit or _, and not with the character | (U+007C)."),
    ])
    func `what is outside is told by its character or its length`(text: String, defect: String) {
        #expect(UserID(text) == nil)
        #expect(UserID.defect(of: text) == defect)
    }

    @Test func `every other text has a defect, and no user id has one`() {
        let scalars = (0...0x17F).compactMap(Unicode.Scalar.init)
        for scalar in scalars {
            for text in ["\(scalar)", "a\(scalar)", "a\(scalar)a"] {
                #expect((UserID(text) == nil) == (UserID.defect(of: text) != nil), "\(scalar.value)")
            }
        }
    }

    @Test func `an erased person has a pseudonym in place of the id, and nobody else has one`() {
        let erased = UserID.erased(pseudonym: 7)
        #expect(erased.isErased && erased.pseudonym == 7 && erased.text == "#7")
        for user in ["7", "u7", "_7"] as [UserID] { #expect(!user.isErased && user.pseudonym == nil) }
        #expect(UserID(pseudonym: "#7") == erased && UserID(pseudonym: "#07") == nil && UserID(pseudonym: "7") == nil)
    }
}
