// Stream addresses and HTTP responses: redirects, malformed addresses, unrequested compression. Real workers;
// test threads.

import ChildSupport
import Decoding
import Foundation
import Platform
import Streaming
import Testing

@Suite struct StreamAddressTests {
  /// Podcasts are redirected through up to ten trackers.
  @Test(arguments: [5, 12]) func redirectionsAreFollowed(count: Int) throws {
    let rig = try StreamTests.Rig(seconds: 1)
    var listener = try rig.listener("hops", "\(count)/a.wav") { $0.stream?.stallMilliseconds = 10_000 }
    try listener.readToEnd()
    let failure = listener.failure
    #expect(failure == nil, "\(rig.server.requests)")
    let isWhole = listener.samples == rig.samples
    #expect(isWhole)
  }

  @Test func redirectionsWithoutEndAreRefused() throws {
    let rig = try StreamTests.Rig(seconds: 1)
    var listener = try rig.listener("hops", "13/a.wav") { $0.stream?.stallMilliseconds = 10_000 }
    let failure = try listener.waitForFailure()
    #expect(
      failure.kind == .refused && failure.sentence.contains("redirects are not followed: there are too many"),
      "\(failure)")
  }

  /// The content is decompressed, and the length of the compressed bytes is ignored.
  @Test func whatIsCompressedUnaskedIsUnpacked() throws {
    let rig = try StreamTests.Rig(seconds: 2)
    var listener = try rig.listener("zipped")
    try listener.readToEnd()
    #expect(listener.failure == nil && listener.samples == rig.samples)
    #expect(rig.server.requests.contains("asked for: identity"), "\(rig.server.requests)")
  }

  /// An HTML page served in place of a station counts as no response: nothing of it is played, and the
  /// station is retried.
  @Test func aPageInPlaceOfAStationIsPassedOver() throws {
    let rig = try StreamTests.Rig()
    var listener = try rig.listener("portal")
    let limit = MonotonicClock.now() + 20_000_000_000
    while listener.samples.count < rig.samples.count - 2000 {
      try #require(MonotonicClock.now() < limit && listener.failure == nil, "\(listener.events)")
      listener.read()
      listener.worker.wake()
      listener.step()
    }
    #expect(rig.server.requests.count >= 4, "\(rig.server.requests)")
    let gaps = listener.events.filter { if case .leftOut = $0 { true } else { false } }
    #expect(gaps.count >= 1)
  }

  /// If the first response is not music, the error says so.
  @Test func aPageIsNoStation() throws {
    let rig = try StreamTests.Rig(seconds: 1)
    _ = try rig.bench.write(Data("<html><body>Please log in.</body></html>".utf8), as: "page")
    var listener = try rig.listener("page", "page")
    let failure = try listener.waitForFailure()
    #expect(failure.kind == .unsupportedFormat && failure.sentence.contains("sends text/html"), "\(failure)")
  }

  /// Malformed addresses from old lists and documents.
  @Test(arguments: ["icy", "http"]) func addressesMayBeSloppy(scheme: String) throws {
    let rig = try StreamTests.Rig(seconds: 1)
    _ = try rig.bench.write(
      Data(contentsOf: rig.bench.directory.appendingPathComponent("a.wav")), as: "a%20b.wav")
    var listener = try rig.listener("plain") {
      $0.stream?.url = scheme + rig.server.url("plain", "a b.wav").dropFirst(4)
    }
    try listener.readToEnd()
    #expect(listener.failure == nil && listener.samples == rig.samples)
    #expect(rig.server.requests == ["/plain/a%20b.wav -"])
  }
}
