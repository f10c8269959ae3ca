// XSPF playlists, well-formed, malformed and hostile, parsed by libexpat without a worker. Test threads.

import Foundation
import Playlists
import Testing

@Suite struct XSPFTests {
  private func entries(_ text: String, isCut: Bool = false) throws -> [PlaylistEntry] {
    try PlaylistReader().contents(of: Array(text.utf8), isCut: isCut).entries
  }

  private func paths(_ text: String, isCut: Bool = false) throws -> [String] {
    try entries(text, isCut: isCut).map(\.path)
  }

  /// The sentence with which a playlist is refused.
  private func refusal(_ text: String) throws -> String {
    let failure = try #require(throws: PlaylistFailure.self) { try entries(text) }
    #expect(failure.kind == .malformed)
    return failure.sentence
  }

  private static let namespace = "http://xspf.org/ns/0/"

  // MARK: Well-formed playlists

  private static let track = "<track><location>a</location></track>"

  @Test(arguments: [
    "<playlist version=\"1\" xmlns=\"\(namespace)\"><trackList>\(track)</trackList></playlist>",
    "<playlist><trackList>\(track)</trackList></playlist>",
    "<x:playlist xmlns:x=\"\(namespace)\"><x:trackList><x:track><x:location>a</x:location></x:track></x:trackList>"
      + "</x:playlist>",
    "\u{FEFF} \n<?xml version=\"1.0\"?>\n<!-- <track> --><playlist>\(track)</playlist>",
    "<!DOCTYPE playlist>\n<playlist><trackList>\(track)</trackList></playlist>",
    "<playlist xml:base='http://b/'><track xml:base='c'><location>a</location></track></playlist>",
    "<playlist><tracklist>\(track)</tracklist></playlist>", "<playlist>\(track)</playlist>",
    "<playlist\n>\(track)</playlist><!-- -->",
  ])
  func rootsAndNamespacesAreRecognized(text: String) throws {
    #expect(try paths(text) == ["a"])
  }

  @Test(arguments: [
    ("<location>a</location><location>b</location>", "a"),
    ("<location> </location><location>b</location>", "b"),
    ("<location>\n  a b.mp3\n  </location>", "a b.mp3"), ("<location>a%20b.mp3</location>", "a b.mp3"),
    ("<location>100%.mp3</location>", "100%.mp3"), ("<location>a%00b</location>", "a%00b"),
    ("<location>%FF.mp3</location>", "%FF.mp3"), ("<location>http://a/b%20c</location>", "http://a/b%20c"),
    ("<location>file:///a/%C3%BC</location>", "file:///a/%C3%BC"),
    ("<location>a&amp;b&lt;c&#228;&#xE4;</location>", "a&b<cää"), ("<location>ü 🎵</location>", "ü 🎵"),
    ("<location><![CDATA[a<b>&c]]></location>", "a<b>&c"),
    ("<location>a<![CDATA[<b>]]>c<![CDATA[&]]></location>", "a<b>c&"),
    ("<location>a<!-- b -->c<?d e?>f</location>", "acf"), ("<location>a<b>c</b>d</location>", "ad"),
    ("<meta rel='x'><location>no</location></meta><location>a</location>", "a"),
    ("<x:location xmlns:x='http://x'>no</x:location><location>a</location>", "a"),
  ])
  func theFirstLocationOfATrackIsRead(track: String, path: String) throws {
    #expect(
      try paths("<playlist><trackList><track>\(track)</track></trackList></playlist>") == [path])
  }

  @Test func titleAndCreatorAreRead() throws {
    let found = try entries(
      """
      <playlist><title>No</title><creator>No</creator><trackList>
      <track><title> One &amp;
      <![CDATA[<two>]]> </title><location>a</location><creator>Ann</creator><creator>Bob</creator></track>
      <track><location>b</location><title/><extension><title>No</title></extension></track>
      <track><title>Lost</title></track>
      </trackList><extension application="x"><track><location>no</location></track></extension></playlist>
      """)
    #expect(found.map(\.path) == ["a", "b"])
    #expect(found.map(\.title) == ["One &<two>", nil])
    #expect(found.map(\.artist) == ["Ann", nil])
  }

  @Test(arguments: [
    (String.Encoding.isoLatin1, "ISO-8859-1"), (.windowsCP1252, "windows-1252"), (.utf8, "UTF-8"),
    (.utf16LittleEndian, "UTF-16"), (.utf8, "ISO-8859-1"),
  ])
  func textIsReadInItsEncoding(encoding: String.Encoding, declared: String) throws {
    let text =
      "<?xml version=\"1.0\" encoding=\"\(declared)\"?><playlist><track><location>für.mp3</location></track>"
      + "</playlist>"
    let bytes = try #require(text.data(using: encoding))
    #expect(try PlaylistReader().contents(of: Array(bytes), isCut: false).entries.map(\.path) == ["für.mp3"])
  }

  // MARK: Malformed playlists

  /// Characters that are not escaped, and references that XML does not define, are common in files written by hand.
  @Test(arguments: [
    ("http://a/?b=1&c=2", "http://a/?b=1&c=2"), ("a & b.mp3", "a & b.mp3"), ("a&nbsp;b", "a&nbsp;b"),
    ("&#1114112;&#x41;&bad;", "&#1114112;A&bad;"), ("a&&amp;b", "a&&b"), ("<![CDATA[&]]>&", "&&"),
  ])
  func strayAmpersandsAreText(location: String, path: String) throws {
    #expect(
      try paths("<playlist><track><title>A & B</title><location>\(location)</location></track></playlist>")
        == [path])
  }

  @Test(arguments: [
    "</trackList>", "<track><location>b", "<track><location>b</title>", "<track><location>\u{1}</location>",
    "<track><title>A < B</title>", "<track", "",
  ])
  func tracksBeforeAnErrorAreKept(rest: String) throws {
    #expect(try paths("<playlist><trackList>\(Self.track)" + rest) == ["a"])
    #expect(
      try paths("<playlist><trackList>\(Self.track)" + rest, isCut: true) == ["a"])
  }

  @Test func aTrackWithoutAnEndIsKept() throws {
    #expect(try paths("<playlist><track><location>a</location><title>b") == ["a"])
  }

  @Test(arguments: [
    ("<playlist><track><location>", "no element found"),
    ("<playlist>\n<a></b></playlist>", "line 2: mismatched tag"),
    ("<playlist><track><location>a</location", "unclosed token"),
  ])
  func anErrorBeforeTheFirstTrackIsReported(text: String, words: String) throws {
    let sentence = try refusal(text)
    #expect(sentence.contains("malformed at line") && sentence.contains(words), "\(sentence)")
  }

  @Test func aCutPlaylistEndsWithItsLastLocation() throws {
    let whole =
      "<playlist><trackList><track><location>ä</location></track><track><location>öü</location></track>"
    for count in (whole.utf8.count - 30)...whole.utf8.count {
      let bytes = Array(whole.utf8.prefix(count))
      let contents = try PlaylistReader().contents(of: bytes, isCut: true)
      #expect([["ä"], ["ä", "öü"]].contains(contents.entries.map(\.path)), "\(count)")
      #expect(contents.isCut)
    }
  }

  // MARK: Hostile playlists

  @Test(.timeLimit(.minutes(1))) func entitiesThatExpandAreRefused() throws {
    var text = "<!DOCTYPE playlist [<!ENTITY e0 \"ha\">"
    for n in 1...30 {
      text += "<!ENTITY e\(n) \"\(String(repeating: "&e\(n - 1);", count: 10))\">"
    }
    text += "]><playlist version='&e30;'><track><location>&e30;</location></track></playlist>"
    #expect(try refusal(text).contains("declares entities"))
  }

  @Test func externalEntitiesAreIgnored() throws {
    let text = """
      <!DOCTYPE playlist SYSTEM "file:///etc/passwd" [<!ENTITY x SYSTEM "file:///etc/passwd">]>
      <playlist><track><location>a&x;b</location></track></playlist>
      """
    #expect(try paths(text) == ["ab"])
  }

  @Test func deepElementsAreRefused() throws {
    let deep = String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100)
    #expect(try refusal("<playlist>\(deep)</playlist>").contains("nested more than 64 deep"))
    #expect(try paths("<playlist>\(Self.track)\(deep)</playlist>") == ["a"])
    let shallow = String(repeating: "<a>", count: 60) + String(repeating: "</a>", count: 60)
    #expect(try paths("<playlist>\(shallow)\(Self.track)</playlist>") == ["a"])
  }

  @Test func textsAndEntriesAreBounded() throws {
    let long = String(repeating: "ü", count: 5000)
    let found = try entries(
      "<playlist><track><location>\(long)</location></track>"
        + "<track><location>a</location><title>\(long)</title></track></playlist>"
    )
    #expect(found.map(\.path) == ["a"])
    #expect(found.first?.title == String(repeating: "ü", count: 127))
    let many = "<playlist>" + String(repeating: Self.track, count: 20_000) + "</playlist>"
    let contents = try PlaylistReader().contents(of: Array(many.utf8), isCut: false)
    #expect(contents.entries.count == PlaylistContents.maxCount && contents.isCut)
  }
}
