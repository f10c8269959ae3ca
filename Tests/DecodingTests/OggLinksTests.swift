// Detection of the links of a chained Ogg stream in chunks of any size, and the names of their tracks. Test
// threads.

import PlaybackModel
import Testing

@testable import Decoding

@Suite struct OggLinksTests {
  /// The start of an Ogg page and some bytes of its body.
  private static func page(_ kind: UInt8, position: UInt8 = 0) -> [UInt8] {
    Array("OggS".utf8) + [0, kind, position, 0, 0, 0, 0, 0, 0, 0] + Array(repeating: 0x4F, count: 21)
  }

  /// The offsets of links, with the bytes fed in chunks of `size`.
  private static func links(in bytes: [UInt8], piece size: Int) -> [Int] {
    var found: [Int] = []
    var links = OggLinks()
    var known = 0
    var end = 0
    while end < bytes.count {
      end = min(end + size, bytes.count)
      judging: while known < end {
        switch bytes[known..<end].withUnsafeBytes({ links.look(at: $0) }) {
        case .none: known = end
        case .link(let place):
          known += place
          found.append(known)
          links = OggLinks()
        case .unclear(let place):
          known += place
          break judging
        }
      }
    }
    return found
  }

  @Test func linksAreFoundInWhateverPieces() {
    let bytes =
      Self.page(2) + Self.page(2) + Self.page(0) + Self.page(0, position: 9) + Self.page(2) + Self.page(0)
      + Array("OggOgOggS".utf8) + Self.page(4, position: 1) + Self.page(2) + Self.page(6) + Self.page(0)
      + Self.page(6)
    let expected = [4 * 35, 7 * 35 + 9, 10 * 35 + 9]
    for size in 1...bytes.count { #expect(Self.links(in: bytes, piece: size) == expected, "\(size)") }
  }

  /// The first pages of all streams of a link are adjacent; a page with a position or another version starts
  /// no link.
  @Test func whatIsNoLinkIsNone() {
    var version = Self.page(2)
    version[4] = 1
    for bytes in [
      Self.page(2) + Self.page(2) + Self.page(2), Self.page(2) + Self.page(0) + Self.page(2, position: 1),
      Self.page(2) + Self.page(0) + version,
    ] {
      for size in 1...bytes.count { #expect(Self.links(in: bytes, piece: size) == [], "\(size)") }
    }
  }

  /// A truncated page does not hide the next link.
  @Test func aBrokenPageHidesNoLink() {
    for kept in 0...35 {
      let bytes = Self.page(2) + Self.page(0) + Self.page(0).prefix(kept) + Self.page(2) + Self.page(0)
      #expect(Self.links(in: bytes, piece: 7) == [70 + kept])
    }
  }

  private static func tags(_ artist: String, _ title: String) -> StreamInfo.Tags {
    var tags = StreamInfo.Tags()
    (tags.artist, tags.title) = (artist, title)
    return tags
  }

  @Test func namesAreTakenOnce() {
    var tracks = LinkedTracks(rate: 1000)
    tracks.begin(Self.tags("", ""), at: 0)
    let none = tracks.takeNames()
    #expect(none == [])
    tracks.begin(Self.tags("A", "One"), at: 10)
    tracks.begin(Self.tags("B", ""), at: 20)
    tracks.begin(Self.tags("", "Two"), at: 20)
    tracks.begin(Self.tags("", ""), at: 30)
    let names = tracks.takeNames()
    #expect(names.map { "\($0.position) \($0.title)" } == ["10 A - One", "20 Two", "30 "])
    let rest = tracks.takeNames()
    #expect(rest == [])
  }

  @Test func linksNeedSoundBetweenThem() throws {
    var tracks = LinkedTracks(rate: 1000)
    for _ in 0..<LinkedTracks.limit { try tracks.pay() }
    #expect(throws: WorkerFailure.self) { try tracks.pay() }
    tracks.note(frames: 99)
    #expect(throws: WorkerFailure.self) { try tracks.pay() }
    tracks.note(frames: 1)
    try tracks.pay()
    #expect(throws: WorkerFailure.self) { try tracks.pay() }
    // The credit for further links is bounded.
    tracks.note(frames: 1_000_000)
    for _ in 0..<LinkedTracks.limit { try tracks.pay() }
    #expect(throws: WorkerFailure.self) { try tracks.pay() }
  }

  /// A worker that names tracks faster than tracks can change is treated as misbehaving.
  @Test func namesWithoutEndAreNonsense() {
    var titles = StreamTitles()
    func taken(at seconds: UInt64) -> Int {
      var count = 0
      while titles.takesName(now: seconds * 1_000_000_000) { count += 1 }
      return count
    }
    #expect(taken(at: 5) == StreamTitles.namesAtOnce)
    #expect(taken(at: 6) == Int(StreamTitles.namesPerSecond))
    #expect(taken(at: 3600) == StreamTitles.namesAtOnce)
  }
}
