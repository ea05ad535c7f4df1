// As UIKit.swift, for AppKit, which the Mac has in its place. Pages are under
// https://developer.apple.com/documentation/appkit/.
import Foundation

/// nswindow
@MainActor open class NSWindow: NSObject {}
/// nsviewcontroller
@MainActor open class NSViewController: NSObject {}
