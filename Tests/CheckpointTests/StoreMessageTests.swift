// Messages between the engine and the storage process: each is decoded as encoded, and invalid bytes are
// harmless. Test threads.
import Foundation
import Platform
import Testing

@testable import Checkpoints

@Suite struct StoreMessageTests {
  private static let requests: [StoreRequest] = [
    .open("/state/a"), .create("/state/b", size: 4_231_168, head: [1, 2, 3]), .setAside("/ü"),
    .read(offset: 4096, count: 512), .keep([UInt8](repeating: 7, count: 70_000), offset: 1 << 20),
    .load("/x", limit: 99, followsLinks: false), .load("/x", limit: 9, followsLinks: true),
    .replace("/x", [], isPrivate: true), .replace("/x", [9], isPrivate: false),
  ]
  private static let replies: [StoreReply] = [
    .done(size: 0, []), .done(size: 4096, [1, 2]), .nothing,
    .failed(SystemError("pwrite", on: "/state/a", code: 5)),
  ]

  @Test func everyMessageComesBack() {
    for request in Self.requests { #expect(StoreRequest(request.bytes) == request) }
    for reply in Self.replies { #expect(StoreReply(reply.bytes) == reply) }
  }

  @Test func whatIsCutShortOrAlteredDoesNoHarm() {
    for bytes in Self.requests.map({ Array($0.bytes.prefix(64)) }) + Self.replies.map(\.bytes) {
      for end in bytes.indices {
        _ = StoreRequest(Array(bytes[..<end]))
        _ = StoreReply(Array(bytes[..<end]))
        for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
          var altered = bytes
          altered[end] = value
          _ = StoreRequest(altered)
          _ = StoreReply(altered)
        }
      }
    }
    #expect(StoreRequest([]) == nil && StoreReply([]) == nil)
    #expect(StoreRequest([99] + [UInt8](repeating: 0, count: 17)) == nil)
  }

  @Test func framesOnAPipe() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let output = FileDescriptor(owning: ends[0])
    do {
      let input = FileDescriptor(owning: ends[1])
      try StoreFrame.send([1, 2, 3], to: input)
      try StoreFrame.send([], to: input)
      // An impossible message length.
      try input.writeAll([0xFF, 0xFF, 0xFF, 0xFF])
    }
    var received: [[UInt8]?] = []
    for _ in 0..<4 { received.append(try StoreFrame.receive(from: output)) }
    #expect(received == [[1, 2, 3], [], nil, nil])
  }
}
