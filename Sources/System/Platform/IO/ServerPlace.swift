// A server by its number or by its name, as people write it. Pure; any thread.

/// Where a server is.
package enum ServerPlace: Hashable, Sendable {
  /// At a numeric address.
  case address(NetworkAddress)
  /// Wherever a name and a port lead to, once somebody has looked that up.
  case name(String, port: UInt16)

  /// Reads a numeric address or a name (RFC 1123, section 2.1), either with a port if it is not the usual one; nil for anything else.
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

  /// As it is typed, with the port.
  package var text: String {
    switch self {
    case .address(let address): address.text
    case .name(let name, let port): name + ":" + String(port)
    }
  }

  /// Words of letters, digits and hyphens with dots between them. The last one is no number: a mistyped address is no name.
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
