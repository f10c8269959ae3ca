// Addresses such as `http://user:word@host:8000/path`: their parts, and texts without their passwords. Pure; any thread.

/// The parts of an address with a scheme and an authority.
package struct AddressText: Hashable, Sendable {
  /// The scheme in lower case.
  package let scheme: String
  /// The host, with the brackets of an IPv6 address; may be empty.
  package let host: String
  /// The digits after the host's colon; nil without a colon.
  package let port: String?
  /// Whether something follows the authority other than a single slash.
  package let hasPath: Bool

  /// Splits a text; nil if it has no `://`.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let colon = bytes.firstIndex(of: 0x3A), colon > 0,
      bytes[colon...].starts(with: "://".utf8), bytes[..<colon].allSatisfy({ Self.isSchemeByte($0) })
    else { return nil }
    scheme = String(
      decoding: bytes[..<colon].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    var rest = bytes[(colon + 3)...]
    let path = rest.firstIndex { Self.endsAuthority($0) } ?? rest.endIndex
    hasPath = rest.endIndex - path > 1
    rest = rest[..<path]
    if let at = rest.lastIndex(of: 0x40) { rest = rest[(at + 1)...] }
    var end = rest.startIndex
    if rest.first == 0x5B, let bracket = rest.firstIndex(of: 0x5D) { end = bracket + 1 }
    let sign = rest[end...].firstIndex(of: 0x3A)
    host = String(decoding: rest[..<(sign ?? rest.endIndex)], as: UTF8.self)
    port = sign.map { String(decoding: rest[($0 + 1)...], as: UTF8.self) }
  }

  /// Why no connection to the address is possible, phrased to follow the address; nil if it is well-formed.
  package var problem: String? {
    if host.utf8.isEmpty { return "it names no server" }
    if host.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
      return "the name of its server contains a blank or a control character"
    }
    guard let port, !port.utf8.isEmpty else { return nil }
    guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(port),
      (1...65_535).contains(number)
    else {
      // Not quoted, because it is a part of the password in user:pass/word@host.
      return "its port is not a number from 1 to 65535"
    }
    return nil
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
    default: false
    }
  }

  /// Whether a byte ends the authority: `/`, `?` or `#`.
  fileprivate static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == 0x2F || byte == 0x3F || byte == 0x23
  }
}

extension String {
  /// The text with `****` in place of the user names and passwords of all addresses in it. An address ends at a blank
  /// or a quotation mark; one that was cut off within its password is masked to its end.
  package var withoutUserInfo: String {
    let bytes = Array(utf8)
    let sign = Array("://".utf8)
    guard bytes.count > sign.count else { return self }
    var masked: [UInt8] = []
    var index = 0
    while index < bytes.count {
      guard bytes[index...].starts(with: sign) else {
        masked.append(bytes[index])
        index += 1
        continue
      }
      masked += sign
      index += sign.count
      let end =
        bytes[index...].firstIndex { $0 == 0x20 || $0 == 0x09 || $0 == 0x22 || $0 == 0x27 } ?? bytes.count
      guard let last = Self.endOfUserInfo(bytes[index..<end]) else { continue }
      masked += Array("****".utf8)
      index = last
    }
    return masked == bytes ? self : String(decoding: masked, as: UTF8.self)
  }

  /// The index of the `@` after the user name and password, or the end of an address without `@` that ends within a
  /// password; nil if there are neither. The last `@` counts, because a password may contain slashes and `@`.
  private static func endOfUserInfo(_ address: ArraySlice<UInt8>) -> Int? {
    if let at = address.lastIndex(of: 0x40) { return at }
    let authority = address.prefix { !AddressText.endsAuthority($0) }
    let host = authority.first == 0x5B ? authority.drop { $0 != 0x5D } : authority
    guard let colon = host.firstIndex(of: 0x3A) else { return nil }
    // A port, and punctuation of the sentence around it.
    let rest = authority[(colon + 1)...].drop { (0x30...0x39).contains($0) }
    return rest.contains { !Array(").,;:!]}>".utf8).contains($0) } ? address.endIndex : nil
  }
}
