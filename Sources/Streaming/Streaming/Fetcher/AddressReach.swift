// Classifies IP addresses by their reach, and keeps servers from redirecting to addresses of narrower reach
// than their own. Pure; fetcher process.

/// The network from which an address can be reached, narrowest first.
package enum AddressReach: UInt32, Comparable, Sendable, CaseIterable {
  /// This machine: loopback and the unspecified address.
  case machine = 0
  /// The local network: private, link-local, shared, multicast and reserved addresses.
  case network = 1
  /// The internet.
  case everywhere = 2

  package static func < (one: AddressReach, other: AddressReach) -> Bool { one.rawValue < other.rawValue }

  /// Classifies an address.
  ///
  /// - Parameter address: 4 or 16 bytes in network order; other lengths count as `machine`. An IPv6 address
  ///   that embeds an IPv4 address (mapped, compatible, NAT64, 6to4) has the reach of that address.
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
    // IETF protocol assignments and NAT64 discovery.
    case (192, 0) where bytes[2] == 0: .network
    // Multicast, reserved addresses and broadcast.
    case (224...255, _): .network
    default: .everywhere
    }
  }

  private static func ofIPv6(_ bytes: [UInt8]) -> AddressReach {
    let isZero = { (range: Range<Int>) in bytes[range].allSatisfy { $0 == 0 } }
    if isZero(0..<10), bytes[10] == 0xFF, bytes[11] == 0xFF { return ofIPv4(Array(bytes[12...])) }
    // `::`, `::1`, and IPv4-compatible addresses.
    if isZero(0..<12) { return isZero(12..<15) ? .machine : ofIPv4(Array(bytes[12...])) }
    // NAT64: the well-known prefix (RFC 6052) with an address in the last 32 bits, and the local-use prefix
    // (RFC 8215).
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

/// Prevents server-side request forgery: a server must not redirect to an address of narrower reach than its
/// own. The address that the user names is not restricted.
struct ReachRule {
  /// The widest reach of a server that has responded; nil if none has.
  private(set) var answered: AddressReach?
  /// Whether redirects are unrestricted.
  let allowsAll: Bool
  /// Whether a connection was refused since `begin`.
  private(set) var hasRefused = false

  /// - Parameters:
  ///   - least: The reach of the server that named the first address, as in a station's playlist; nil if the
  ///     user named it.
  ///   - allowsAll: Whether redirects are unrestricted.
  init(least: AddressReach?, allowsAll: Bool) {
    answered = least
    self.allowsAll = allowsAll
  }

  /// Whether connecting to an address is permitted.
  mutating func permits(_ address: some Collection<UInt8>) -> Bool {
    guard !allowsAll, let answered, AddressReach(address) < answered else { return true }
    hasRefused = true
    return false
  }

  /// Records a response from an address, including redirects.
  mutating func note(answerFrom address: some Collection<UInt8>) {
    let reach = AddressReach(address)
    answered = max(answered ?? reach, reach)
  }

  /// Starts a request.
  mutating func begin() { hasRefused = false }
}
