// Asks the system's resolver for a server's addresses, and waits for the network: for processes that do nothing else meanwhile.

import CLinux

/// Why a name leads nowhere: the resolver's own words.
package struct NameFailure: Error {
  /// A few words.
  package let reason: String
}

/// Looks up names.
package enum NameLookUp {
  /// Bytes that the addresses of one name may have as text, with what separates them.
  private static let maxCount = 1024

  /// The addresses that a name has, in the order in which they should be tried (getaddrinfo(3)).
  package static func addresses(of name: String, port: UInt16) throws(NameFailure) -> [NetworkAddress] {
    var text = [UInt8](repeating: 0, count: maxCount)
    let error = text.withUnsafeMutableBytes { clinux_look_up(name, $0.baseAddress, $0.count) }
    guard error == 0 else { throw NameFailure(reason: String(cString: gai_strerror(error))) }
    return text.prefix { $0 != 0 }.split(separator: 0x0A).compactMap {
      NetworkAddress(String(decoding: $0, as: UTF8.self), usualPort: port)
    }
  }
}
