// The symbols of UIKit that GatepassClient and its example use, with the page each declaration is from, so that they
// can be type-checked where there is no UIKit. Nothing here does anything. Pages are under
// https://developer.apple.com/documentation/.
import Foundation

/// uikit/uiscene
@MainActor open class UIScene: NSObject {}
/// uikit/uiwindowscene
@MainActor open class UIWindowScene: UIScene {}

/// uikit/uiapplication, …/shared, …/connectedscenes
@MainActor open class UIApplication: NSObject {
    public class var shared: UIApplication { UIApplication() }
    public var connectedScenes: Set<UIScene> { [] }
}
