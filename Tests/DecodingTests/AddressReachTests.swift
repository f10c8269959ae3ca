// The network scopes of addresses (loopback, local, public), and which of them a stream's redirects and lists
// may lead to. Test threads.

import Foundation
import Platform
import Testing

@testable import Streaming

@Suite struct AddressReachTests {
  /// The bytes of a numeric address, as inet_pton(3) parses it.
  private func bytes(_ text: String) throws -> [UInt8] {
    try #require(NumericAddress.bytes(of: text), "\(text)")
  }

  @Test(arguments: [
    ("127.0.0.1", AddressReach.machine), ("127.255.255.254", .machine), ("0.0.0.0", .machine),
    ("0.1.2.3", .machine),
    ("10.0.0.1", .network), ("172.16.0.1", .network), ("172.31.255.1", .network), ("192.168.1.1", .network),
    ("169.254.169.254", .network), ("100.64.0.1", .network), ("198.18.0.1", .network),
    ("192.0.0.170", .network),
    ("224.0.0.1", .network), ("239.255.255.250", .network), ("255.255.255.255", .network),
    ("240.0.0.1", .network),
    ("8.8.8.8", .everywhere), ("172.32.0.1", .everywhere), ("172.15.0.1", .everywhere),
    ("100.128.0.1", .everywhere),
    ("192.167.1.1", .everywhere), ("203.0.113.7", .everywhere), ("223.255.255.1", .everywhere),
    ("::1", .machine), ("::", .machine), ("::127.0.0.1", .machine), ("::ffff:127.0.0.1", .machine),
    ("::ffff:0.0.0.0", .machine), ("::ffff:192.168.1.1", .network), ("::ffff:8.8.8.8", .everywhere),
    ("fe80::1", .network), ("febf::1", .network), ("fec0::1", .network), ("fc00::1", .network),
    ("fd12:3456::1", .network),
    ("ff02::1", .network), ("64:ff9b::127.0.0.1", .machine), ("64:ff9b::10.0.0.1", .network),
    ("64:ff9b::8.8.8.8", .everywhere), ("64:ff9b:1::8.8.8.8", .network), ("2002:7f00:1::1", .machine),
    ("2002:c0a8:101::1", .network), ("2002:808:808::1", .everywhere), ("2001:4860:4860::8888", .everywhere),
  ]) func eachRangeHasItsReach(text: String, reach: AddressReach) throws {
    #expect(try AddressReach(bytes(text)) == reach)
  }

  @Test func whatIsNoAddressHasTheLeast() {
    for count in [0, 3, 5, 15, 17] { #expect(AddressReach([UInt8](repeating: 8, count: count)) == .machine) }
  }

  /// Each pair of the scope of the answering server and the scope of the address that it leads to.
  @Test(arguments: AddressReach.allCases, AddressReach.allCases) func nothingLeadsNearer(
    from: AddressReach, to: AddressReach
  ) throws {
    let places: [AddressReach: String] = [
      .machine: "127.0.0.1", .network: "192.168.1.1", .everywhere: "8.8.8.8",
    ]
    let (first, second) = (try bytes(places[from]!), try bytes(places[to]!))
    var rule = ReachRule(least: nil, allowsAll: false)
    // All addresses of a name may be tried until one of them has answered.
    let isOpen = rule.permits(first) && rule.permits(second)
    rule.note(answerFrom: first)
    let isLed = rule.permits(second)
    #expect(isOpen && isLed == (to >= from) && rule.hasRefused == (to < from))
    // A loopback answer in the meantime does not relax the rule.
    rule.note(answerFrom: try bytes("127.0.0.1"))
    let isLedAgain = rule.permits(second)
    #expect(isLedAgain == (to >= from))
    var free = ReachRule(least: .everywhere, allowsAll: true)
    free.note(answerFrom: first)
    let isFree = free.permits(second)
    #expect(isFree)
    // Addresses in a list are limited by the scope of the list's server.
    var listed = ReachRule(least: from, allowsAll: false)
    let isListed = listed.permits(second)
    #expect(isListed == (to >= from))
  }

  @Test(arguments: [nil] + AddressReach.allCases.map { Optional($0) }) func ordersSayWhatIsAllowed(
    reach: AddressReach?
  ) throws {
    var request = StreamRequest("http://radio/x")
    request.leastReach = reach
    request.allowsPrivateRedirects = reach == .network
    let order = try #require(FetchOrder(FetchOrder(request).bytes[...]))
    #expect(order.leastReach == reach && order.allowsPrivateRedirects == (reach == .network))
    let message = FetcherMessage.opened(
      StreamDescription(length: 3, isSeekable: true, station: "s", contentType: "t", reach: reach))
    #expect(FetcherMessage(message.bytes[...]) == message)
  }
}

/// Parses addresses with inet_pton(3).
private enum NumericAddress {
  static func bytes(of text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let isLong = text.utf8.contains(0x3A)
    guard inet_pton(isLong ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
    return Array(bytes.prefix(isLong ? 16 : 4))
  }
}
