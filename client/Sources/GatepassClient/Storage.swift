import Foundation

#if canImport(Security)
    import Security
#endif

/// Where things outlive the process. Reading what is not there is nil; writing nil deletes.
public struct Storage: Sendable {
    let read: @Sendable (_ name: String) -> Data?
    let write: @Sendable (_ name: String, Data?) -> Void

    public init(
        read: @escaping @Sendable (_ name: String) -> Data?, write: @escaping @Sendable (_ name: String, Data?) -> Void
    ) {
        self.read = read
        self.write = write
    }

    /// For nothing that unlocks: anybody can edit it.
    public static func defaults(of server: URL) -> Storage {
        let prefix = "gatepass \(server.absoluteString) "
        return Storage(
            read: { UserDefaults.standard.data(forKey: prefix + $0) },
            write: { UserDefaults.standard.set($1, forKey: prefix + $0) })
    }

    /// For tokens. On Linux, which has no keychain, it is `defaults`.
    public static func secrets(of server: URL) -> Storage {
        #if canImport(Security)
            let service = "gatepass \(server.absoluteString)"
            return Storage(read: { Keychain.read(service, $0) }, write: { Keychain.write(service, $0, $1) })
        #else
            return defaults(of: server)
        #endif
    }
}

#if canImport(Security)
    /// Generic passwords of the keychain, of this device alone, and readable while it is locked.
    enum Keychain {
        static func read(_ service: String, _ name: String) -> Data? {
            var query = item(service, name)
            query[kSecReturnData as String] = true
            var found: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
            return found as? Data
        }

        static func write(_ service: String, _ name: String, _ data: Data?) {
            guard let data else {
                SecItemDelete(item(service, name) as CFDictionary)
                return
            }
            // Never deleted first: on a locked device the new one might not be taken.
            let found = SecItemUpdate(
                item(service, name) as CFDictionary, [kSecValueData as String: data] as CFDictionary)
            guard found == errSecItemNotFound else { return }
            var made = item(service, name)
            made[kSecValueData as String] = data
            made[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            SecItemAdd(made as CFDictionary, nil)
        }

        private static func item(_ service: String, _ name: String) -> [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: name,
            ]
        }
    }
#endif
