// From where an address can be reached, and where a stream may lead. Pure; fetcher process.

/// From where an address can be reached, the narrowest first.
package enum AddressReach: UInt32, Comparable, Sendable, CaseIterable {
  /// This machine: loopback and the unspecified address.
  case machine = 0
  /// This network: private, link-local, shared, multicast and reserved addresses.
  case network = 1
  /// Everywhere.
  case everywhere = 2

  package static func < (one: AddressReach, other: AddressReach) -> Bool { one.rawValue < other.rawValue }

  /// The reach of an address of 4 or 16 bytes in network order; of anything else the narrowest. An IPv6 address that stands for one of
  /// IPv4 (mapped, compatible, NAT64, 6to4) has that one's reach.
  package init(_ address: some Collection<UInt8>) {
    let bytes = Array(address)
    switch bytes.count {
    case 4: self = Self.ofIPv4(bytes)
    case 16: self = Self.ofIPv6(bytes)
    default: self = .machine
    }
  }

  private static func ofIPv4(_ bytes: [UInt8]) -> AddressReach {
    switch (bytes[0], bytes[1]) {
    case (0, _), (127, _): .machine
    case (10, _), (172, 16...31), (192, 168), (169, 254), (100, 64...127), (198, 18...19): .network
    // IETF protocols and the NAT64 discovery addresses.
    case (192, 0) where bytes[2] == 0: .network
    // Multicast and what is reserved, the broadcast address included.
    case (224...255, _): .network
    default: .everywhere
    }
  }

  private static func ofIPv6(_ bytes: [UInt8]) -> AddressReach {
    let isZero = { (range: Range<Int>) in bytes[range].allSatisfy { $0 == 0 } }
    if isZero(0..<10), bytes[10] == 0xFF, bytes[11] == 0xFF { return ofIPv4(Array(bytes[12...])) }
    // `::`, `::1`, and IPv4-compatible addresses.
    if isZero(0..<12) { return isZero(12..<15) ? .machine : ofIPv4(Array(bytes[12...])) }
    // NAT64 by its own prefix (RFC 6052) and the one for local use (RFC 8215), whose embedded address is that of the last 32 bits here.
    if bytes[0] == 0, bytes[1] == 0x64, bytes[2] == 0xFF, bytes[3] == 0x9B {
      return isZero(4..<12) ? ofIPv4(Array(bytes[12...])) : .network
    }
    // 6to4 (RFC 3056).
    if bytes[0] == 0x20, bytes[1] == 0x02 { return ofIPv4(Array(bytes[2..<6])) }
    // Unique local, link-local, site-local, multicast.
    if bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0x80 == 0x80) || bytes[0] == 0xFF {
      return .network
    }
    return .everywhere
  }
}

/// Where connections of one stream may lead: never to an address that is reached from less far than one that has answered. The address that
/// a person names may be any; what answers there must not lead into the box or its network.
struct ReachRule {
  /// The reach of what has answered so far; nil: nothing has.
  private(set) var answered: AddressReach?
  /// Whether it may lead anywhere.
  let allowsAll: Bool
  /// Whether a connection was refused.
  private(set) var hasRefused = false

  /// - Parameter least: The reach of what has named the first address, such as the server of a station's list; nil: a person has.
  init(least: AddressReach?, allowsAll: Bool) {
    answered = least
    self.allowsAll = allowsAll
  }

  /// Whether an address may be connected to.
  mutating func permits(_ address: some Collection<UInt8>) -> Bool {
    guard !allowsAll, let answered, AddressReach(address) < answered else { return true }
    hasRefused = true
    return false
  }

  /// An address has answered, with a redirection or with bytes.
  mutating func note(answerFrom address: some Collection<UInt8>) {
    let reach = AddressReach(address)
    answered = max(answered ?? reach, reach)
  }

  /// A request begins.
  mutating func begin() { hasRefused = false }
}
