// A server's address or host name with a port. Pure; any thread.

/// The location of a server.
package enum ServerPlace: Hashable, Sendable {
  /// A numeric address.
  case address(NetworkAddress)
  /// A host name that has to be resolved, and a port.
  case name(String, port: UInt16)

  /// Parses a numeric address or a host name (RFC 1123, section 2.1), optionally with a port; nil if it is
  /// invalid.
  package init?(_ text: String, usualPort: UInt16) {
    if let address = NetworkAddress(text, usualPort: usualPort) {
      guard address.port > 0 else { return nil }
      self = .address(address)
      return
    }
    let parts = Array(text.utf8).split(separator: 0x3A, omittingEmptySubsequences: false)
    guard parts.count <= 2, Self.isName(parts[0]) else { return nil }
    guard parts.count == 2 else {
      self = .name(text, port: usualPort)
      return
    }
    let digits = String(decoding: parts[1], as: UTF8.self)
    guard parts[1].first != 0x2B, let port = UInt16(digits), port > 0 else { return nil }
    self = .name(String(decoding: parts[0], as: UTF8.self), port: port)
  }

  /// The text with the port, as `init` parses it.
  package var text: String {
    switch self {
    case .address(let address): address.text
    case .name(let name, let port): name + ":" + String(port)
    }
  }

  /// Whether the bytes are a valid host name. The last label must not be a number, so that mistyped addresses
  /// are rejected.
  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count <= 253 else { return false }
    var isNumber = true
    for label in bytes.split(separator: 0x2E, omittingEmptySubsequences: false) {
      guard label.count >= 1, label.count <= 63, label.first != 0x2D, label.last != 0x2D else { return false }
      isNumber = true
      for byte in label {
        switch byte {
        case 0x30...0x39: break
        case 0x41...0x5A, 0x61...0x7A, 0x2D: isNumber = false
        default: return false
        }
      }
    }
    return !isNumber
  }
}
