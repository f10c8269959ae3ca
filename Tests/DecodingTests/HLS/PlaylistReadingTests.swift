// Parsing of HLS playlists: addresses, qualities, segments, limits and invalid playlists. Test threads.

import Testing

@testable import Streaming

@Suite struct PlaylistReadingTests {
  private func read(_ text: String) throws(FetchFailure) -> Playlist {
    try PlaylistLines.read(Array(text.utf8))
  }

  private func list(_ text: String) throws -> SegmentList {
    guard case .segments(let list) = try read("#EXTM3U\n" + text) else {
      throw FetchFailure(sentence: "These are qualities.")
    }
    return list
  }

  private func names(_ list: SegmentList) -> [String] {
    list.segments.map { String(decoding: list.text[$0.part.reference], as: UTF8.self) }
  }

  private func failure(_ text: String) -> String {
    do throws(FetchFailure) {
      return "read: \(try read(text))"
    } catch {
      return error.sentence
    }
  }

  /// The http examples of RFC 3986, section 5.4, and forms that playlists use.
  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
    ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("g#s", "http://a/b/c/g"),
    (";x", "http://a/b/c/;x"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"),
    ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("https://h:8/x", "https://h:8/x"), ("HTTP://h/x", "HTTP://h/x"), ("#s", "http://a/b/c/d;p?q"),
  ])
  func aReferenceIsResolved(reference: String, expected: String) {
    #expect(WebAddress.resolve(Array(reference.utf8)[...], against: "http://a/b/c/d;p?q") == expected)
  }

  @Test(arguments: ["file:///etc/passwd", "data:audio/aac,x", "rtsp://x/y", "a b", "", "C:\\x", "ftp://h/x"])
  func whatIsNoAddressOfAStreamIsNone(reference: String) {
    #expect(WebAddress.resolve(Array(reference.utf8)[...], against: "http://a/b") == nil)
  }

  @Test func addressesAreBounded() {
    let long = Array(repeating: UInt8(0x61), count: StreamRequest.maxURLLength)
    #expect(WebAddress.resolve(long[...], against: "http://a/") == nil)
    #expect(
      WebAddress.resolve(long.dropLast(9)[...], against: "http://a/")?.utf8.count
        == StreamRequest.maxURLLength)
    #expect(WebAddress.resolve(Array("x".utf8)[...], against: "http://a") == "http://a/x")
    #expect(WebAddress.resolve(Array("x".utf8)[...], against: "http://a?u=/1/2") == "http://a/x")
  }

  @Test func segmentsHaveNumbersAndTimes() throws {
    let list = try list(
      "#EXT-X-VERSION:3\r\n#EXT-X-TARGETDURATION:8\r\n#EXT-X-MEDIA-SEQUENCE:2680\r\n\r\n#EXTINF:7.975,A - B\r\n"
        + "a.aac?x=1\r\n#EXT-X-DISCONTINUITY\r\n#EXTINF:7.941,\r\nb.aac\r\n#EXTINF:8\r\nc.aac\r\n")
    #expect(list.first == 2680 && list.end == 2683 && list.target == 8000 && !list.isEnded)
    #expect(names(list) == ["a.aac?x=1", "b.aac", "c.aac"])
    #expect(list.segments.map(\.duration) == [7975, 7941, 8000])
    #expect(list.segments.map(\.isDiscontinuous) == [false, true, false])
    #expect(String(decoding: list.text[list.segments[0].title], as: UTF8.self) == "A - B")
    #expect(list.segments[1].title.isEmpty && list.segments[2].title.isEmpty)
    #expect(try self.list("#EXTINF:1,\na\n#EXT-X-ENDLIST").isEnded)
  }

  @Test func partsFollowEachOther() throws {
    let list = try list(
      "#EXT-X-MAP:URI=\"i.mp4\",BYTERANGE=\"600@0\"\n#EXTINF:1,\n#EXT-X-BYTERANGE:100@600\na.mp4\n#EXTINF:1,\n"
        + "#EXT-X-BYTERANGE:50\na.mp4\n#EXTINF:1,\n#EXT-X-BYTERANGE:7\nb.mp4\n#EXT-X-MAP:URI=\"j.mp4\"\n"
        + "#EXTINF:1,\nc.mp4\n")
    #expect(
      list.segments.map(\.part.bytes) == [
        .init(offset: 600, count: 100), .init(offset: 700, count: 50), .init(offset: 0, count: 7), nil,
      ])
    #expect(list.maps.map(\.bytes) == [.init(offset: 0, count: 600), nil])
    #expect(list.segments.map(\.map) == [0, 0, 0, 1])
  }

  @Test func whatIsEncryptedIsKnown() throws {
    let list = try list(
      "#EXTINF:1,\na\n#EXT-X-KEY:METHOD=AES-128,URI=\"k,1\",IV=0x1\n#EXTINF:1,\nb\n#EXTINF:1,\nc\n"
        + "#EXT-X-KEY:METHOD=NONE\n#EXTINF:1,\nd\n")
    #expect(list.segments.map(\.isProtected) == [false, true, true, false])
    #expect(String(decoding: list.protection, as: UTF8.self) == "AES-128")
  }

  /// Impossible durations are clamped.
  @Test(
    arguments: [
      ("0", 1000), ("", 1000), ("x", 1000), ("10", 10_000), ("6.5", 6500), ("999999999", 30_000),
      ("99999999999999999999", 1000), ("-5", 1000),
    ] as [(String, Int64)])
  func targetsAreBounded(text: String, target: Int64) throws {
    #expect(try list("#EXT-X-TARGETDURATION:\(text)\n#EXTINF:0.5,\na\n").target == target)
  }

  @Test func aTargetIsNoShorterThanItsSegments() throws {
    #expect(try list("#EXT-X-TARGETDURATION:1\n#EXTINF:6,\na\n").target == 6000)
    #expect(try list("#EXTINF:99999999,\na\n").segments[0].duration == 3_600_000)
  }

  @Test func whatIsNoPlaylistSaysWhy() {
    for (text, words) in [
      ("", "#EXTM3U"), ("<html>", "#EXTM3U"), ("#EXTM3U\n", "neither"),
      ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na\n#EXTINF:1,\nb\n", "in one"),
    ] { #expect(failure(text).contains(words), "\(failure(text))") }
    let many = String(repeating: "#EXTINF:1,\na\n", count: Playlist.maxSegments + 1)
    #expect(failure("#EXTM3U\n" + many).contains("more than 20000 segments"))
  }

  /// Truncated playlists are never read past their end.
  @Test func anythingMayBeCutAnywhere() {
    let text = Array(
      "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",URI=\"x\"\n#EXT-X-STREAM-INF:AUDIO=\"a\",CODECS=\"\nb\n"
        .utf8)
    for count in 0...text.count { _ = try? PlaylistLines.read(Array(text[..<count])) }
    for tag in [
      "EXTINF", "EXT-X-KEY", "EXT-X-MAP", "EXT-X-BYTERANGE", "EXT-X-MEDIA-SEQUENCE", "EXT-X-STREAM-INF",
    ] {
      for value in [
        "", ":", ":=", ":,", ":\"", ":URI=", ":URI=\"", ":1@", ":@", ":999999999999999999@999999999999999999",
      ] {
        _ = try? read("#EXTM3U\n#\(tag)\(value)\na\n#EXTINF:1,\nb\n#EXT-X-BYTERANGE:9\n#EXTINF:1,\nb\n")
      }
    }
  }
}

@Suite struct VariantChoiceTests {
  private func order(_ text: String) throws -> [String] {
    guard case .variants(let variants) = try PlaylistLines.read(Array(("#EXTM3U\n" + text).utf8)) else {
      return []
    }
    return VariantChoice.order(variants).map { String(decoding: $0.reference, as: UTF8.self) }
  }

  private func variant(_ name: String, _ bandwidth: Int, _ rest: String = "") -> String {
    "#EXT-X-STREAM-INF:BANDWIDTH=\(bandwidth)\(rest)\n\(name)\n"
  }

  /// The best quality that a box can use; if all are better, the lowest one.
  @Test func theBestQualityIsChosen() throws {
    let text =
      variant("48", 51_000, ",CODECS=\"mp4a.40.5\"") + variant("1500", 1_500_000)
      + variant("320", 339_200, ",CODECS=\"mp4a.40.2\"") + variant("128", 135_000)
      + variant("500", 500_000)
    #expect(try order(text) == ["320", "128", "48", "500", "1500"])
  }

  @Test func soundAloneComesFirst() throws {
    let text =
      variant("high", 3_000_000, ",CODECS=\"avc1.4d401f,mp4a.40.2\",RESOLUTION=1x1")
      + variant("low", 400_000, ",CODECS=\"avc1.42e00a,mp4a.40.2\"")
      + variant("silent", 100_000, ",CODECS=\"avc1.42e00a\"")
      + variant("sound", 64_000, ",CODECS=\"mp4a.40.2\"") + variant("dolby", 200_000, ",CODECS=\"ec-3\"")
    #expect(try order(text) == ["sound", "low", "high", "silent", "dolby"])
  }

  /// The default audio rendition of a group is preferred.
  @Test func theSoundBesideThePictureIsTaken() throws {
    let text =
      "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"fr\",URI=\"fr.m3u8\"\n"
      + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"de\",DEFAULT=YES,URI=\"de.m3u8\"\n"
      + variant("high", 3_000_000, ",RESOLUTION=1x1,AUDIO=\"g\"") + variant("low", 400_000, ",RESOLUTION=1x1")
    #expect(try order(text) == ["de.m3u8", "low"])
  }

  @Test func theyAreBounded() throws {
    let text = (0..<500).map { variant("\($0)", $0) }.joined()
    #expect(try order(text).count == Playlist.maxVariants)
  }
}
