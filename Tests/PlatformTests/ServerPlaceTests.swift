// Parsing of server addresses, numeric and by name. Test threads.

import Testing

@testable import Platform

@Suite struct ServerPlaceTests {
  @Test(arguments: [
    ("192.168.1.20", "192.168.1.20:1704"), ("192.168.1.20:5000", "192.168.1.20:5000"),
    ("fd00::20", "[fd00::20]:1704"),
    ("[fd00::20]:5000", "[fd00::20]:5000"), ("snapserver.local", "snapserver.local:1704"),
    ("kitchen:99", "kitchen:99"),
    ("a-1.b2", "a-1.b2:1704"),
  ]) func whatPeopleWriteIsUnderstood(text: String, place: String) throws {
    let found = try #require(ServerPlace(text, usualPort: 1704))
    #expect(found.text == place)
    // The displayed form can be typed again.
    #expect(ServerPlace(place, usualPort: 1) == found)
  }

  @Test(arguments: [
    "", ":", ":1704", "a:", "a:0", "a:65536", "a:+1", "a:1:2", "192.168.1", "192.168.1.256", "10", "a b",
    "a_b", "-a", "a-", "a..b",
    ".a", "a.", "a/b", "[a]:1", "ä", String(repeating: "a", count: 64),
    String(repeating: "a.", count: 127) + "ab",
  ]) func whatIsNoPlaceIsRefused(text: String) {
    #expect(ServerPlace(text, usualPort: 1704) == nil)
  }

  @Test func aNameIsLookedUp() throws {
    let found = try NameLookUp.addresses(of: "localhost", port: 1704)
    #expect(!found.isEmpty && found.allSatisfy { $0.isLoopback && $0.port == 1704 })
    #expect(throws: NameFailure.self) { try NameLookUp.addresses(of: "no..body", port: 1704) }
  }
}
