// As UIKit.swift, for the Security framework. CFString and CFDictionary are bridged to String and [String: Any] on
// Apple's systems; here they are these.
import Foundation

public typealias CFString = String
public typealias CFDictionary = [String: Any]
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32

/// security/errsecitemnotfound, …/errsecinteractionnotallowed
public let errSecItemNotFound: OSStatus = -25300
public let errSecInteractionNotAllowed: OSStatus = -25308
/// security/ksecclass, …/ksecclassgenericpassword
public let kSecClass: CFString = ""
public let kSecClassGenericPassword: CFString = ""
/// security/ksecattrservice, …/ksecattraccount
public let kSecAttrService: CFString = ""
public let kSecAttrAccount: CFString = ""
/// security/ksecattraccessible, …/ksecattraccessibleafterfirstunlockthisdeviceonly
public let kSecAttrAccessible: CFString = ""
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = ""
/// security/ksecvaluedata, …/ksecreturndata
public let kSecValueData: CFString = ""
public let kSecReturnData: CFString = ""

/// security/secitemcopymatching(_:_:)
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
/// security/secitemadd(_:_:)
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
/// security/secitemupdate(_:_:)
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { 0 }
/// security/secitemdelete(_:)
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }
