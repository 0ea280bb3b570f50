#if canImport(Security)
    import Foundation
    import Security

    /// The system's keychain. The item can be read after the device was unlocked once, so that notifications find the
    /// app signed in, and doesn't go into backups of other devices.
    public struct KeychainTokenStore: TokenStore {
        /// Why the keychain refused.
        public struct Failure: Error, Sendable, Equatable {
            /// The system's number (Security, `OSStatus`).
            public let status: Int32
        }

        private let service: String
        private let group: String?

        /// - Parameters:
        ///   - service: distinguishes this item from others of the app, such as its bundle's name.
        ///   - group: the access group, for an app with extensions; nil for the app alone.
        public init(service: String, group: String? = nil) {
            self.service = service
            self.group = group
        }

        private var query: [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: "roost",
                kSecUseDataProtectionKeychain: true,
            ]
            if let group { query[kSecAttrAccessGroup] = group }
            return query
        }

        /// Returns the contents of the keychain's item.
        public func load() throws -> [UInt8]? {
            var query = query
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = found as? Data else { throw Failure(status: status) }
            return [UInt8](data)
        }

        /// Adds the item, or replaces what it has.
        public func save(_ bytes: [UInt8]) throws {
            let change: [CFString: Any] = [
                kSecValueData: Data(bytes), kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(query as CFDictionary, change as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(query.merging(change) { $1 } as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw Failure(status: status) }
        }

        /// Deletes the item.
        public func clear() throws {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw Failure(status: status) }
        }
    }
#endif
