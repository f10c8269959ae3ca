// Resolves host names through the system's resolver. Blocks on the network: only for helper processes without
// other work.

import CLinux

/// The resolver's error for a name.
package struct NameFailure: Error {
  /// The resolver's error text.
  package let reason: String
}

/// Host name resolution.
package enum NameLookUp {
  /// The most bytes of all addresses of one name as text, including separators.
  private static let maxCount = 1024

  /// Resolves a name to addresses, in the order in which to try them (getaddrinfo(3)).
  package static func addresses(of name: String, port: UInt16) throws(NameFailure) -> [NetworkAddress] {
    var text = [UInt8](repeating: 0, count: maxCount)
    let error = text.withUnsafeMutableBytes { clinux_look_up(name, $0.baseAddress, $0.count) }
    guard error == 0 else { throw NameFailure(reason: String(cString: gai_strerror(error))) }
    return text.prefix { $0 != 0 }.split(separator: 0x0A).compactMap {
      NetworkAddress(String(decoding: $0, as: UTF8.self), usualPort: port)
    }
  }
}
