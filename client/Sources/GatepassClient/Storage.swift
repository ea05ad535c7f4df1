import Foundation

#if canImport(Security)
    import Security
#endif

/// Where things outlive the process.
struct Storage: Sendable {
    /// Nil where there is nothing. Throws where it cannot be told, as before the first unlocking of a device.
    let read: @Sendable (_ name: String) throws -> Data?
    let write: @Sendable (_ name: String, Data) -> Void

    /// For nothing that unlocks: anybody can edit it.
    static func defaults(of server: URL) -> Storage {
        let prefix = "gatepass \(server.absoluteString) "
        return Storage(
            read: { UserDefaults.standard.data(forKey: prefix + $0) },
            write: { UserDefaults.standard.set($1, forKey: prefix + $0) })
    }

    #if !canImport(Security)
        static func secrets(of server: URL) -> Storage { defaults(of: server) }
    #else
        /// Generic passwords of the keychain, of this device alone, and readable while it is locked.
        static func secrets(of server: URL) -> Storage {
            @Sendable func item(_ name: String, _ more: [String: Any] = [:]) -> CFDictionary {
                let item: [String: Any] = [
                    kSecClass as String: kSecClassGenericPassword,
                    kSecAttrService as String: "gatepass \(server.absoluteString)", kSecAttrAccount as String: name,
                ]
                return item.merging(more) { $1 } as CFDictionary
            }
            return Storage(
                read: { name in
                    var found: CFTypeRef?
                    let result = SecItemCopyMatching(item(name, [kSecReturnData as String: true]), &found)
                    if result == errSecInteractionNotAllowed { throw GatepassError.noAnswer }
                    return found as? Data
                },
                write: { name, data in
                    // Never deleted first: on a locked device the new one might not be taken.
                    let value = [kSecValueData as String: data]
                    guard SecItemUpdate(item(name), value as CFDictionary) == errSecItemNotFound else { return }
                    let access = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                    let made: [String: Any] = [kSecValueData as String: data, kSecAttrAccessible as String: access]
                    SecItemAdd(item(name, made), nil)
                })
        }
    #endif
}
