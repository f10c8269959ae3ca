// Stations that serve lists of addresses instead of sound, well-formed and hostile ones. Real workers; test
// threads.

import ChildSupport
import CLinux
import Decoding
import Foundation
import PlaybackModel
import Streaming
import Testing

@Suite struct StationListTests {
  private func list(_ rig: StreamTests.Rig, _ name: String, _ text: String) throws {
    _ = try rig.bench.write(Data(text.utf8), as: name)
  }

  private func heard(_ rig: StreamTests.Rig, _ manner: String, _ name: String) throws -> [Float] {
    var listener = try rig.listener(manner, name)
    try listener.readToEnd()
    #expect(listener.failure == nil)
    return listener.samples
  }

  private func failure(_ rig: StreamTests.Rig, _ name: String, manner: String = "list") throws
    -> WorkerFailure
  {
    var listener = try rig.listener(manner, name)
    return try listener.waitForFailure()
  }

  /// A list is recognized by media type, content or name, also behind a redirect.
  @Test(arguments: [
    ("list", "s.m3u", "#EXTM3U\r\n#EXTINF:-1,Test\r\nURL\r\n"), ("movedlist", "s.m3u", "URL\n"),
    ("list", "s.pls", "[playlist]\nNumberOfEntries=1\nFile1=URL\n"),
    (
      "list", "s.xspf",
      "<?xml version=\"1.0\"?>\n<!-- one --><playlist version='1'><trackList><track><title>A</title>"
        + "<location>URL?a=1&amp;b=2</location></track></trackList></playlist>"
    ),
    ("list", "s", "#EXTM3U\nURL\n"), ("list", "s", "\u{FEFF}  URL\n"), ("list", "s", "[Playlist]\nfile1=URL"),
    ("plain", "s.m3u", "# by its name\nURL\n"), ("list", "s.m3u", "#EXTM3U\n../plain/a.wav\n"),
    ("list", "s.m3u", "/plain/a.wav"), ("plain", "s.pls", "[playlist]\nFile1=a.wav"),
    ("list", "s.m3u", "//HOST/plain/a.wav"), ("list", "s.m3u", "ICYURL\n"),
    (
      "plain", "s",
      "<ASX Version=\"3.0\">\r\n<Title>A &lt;ref&gt;</Title><Entry><Ref HREF = 'URL?a=1&amp;b=2' /></Entry></ASX>"
    ),
    ("plain", "s.asx", "[Reference]\r\nRef1=URL\r\n"),
    ("list", "s.asx", "<asx><entry><ref href=../plain/a.wav></entry></asx>"),
  ])
  func aStationIsHeardByItsList(manner: String, name: String, text: String) throws {
    let rig = try StreamTests.Rig(seconds: 2)
    let url = rig.server.url("plain", "a.wav")
    let host = String(url.split(separator: "/")[1])
    let named = text.replacingOccurrences(of: "ICYURL", with: "icy" + url.dropFirst(4))
      .replacingOccurrences(of: "URL", with: url).replacingOccurrences(of: "HOST", with: host)
    try list(rig, name, named)
    #expect(try heard(rig, manner, name) == rig.samples)
    if name == "s.xspf" { #expect(rig.server.requests.contains("/plain/a.wav?a=1&b=2 -")) }
  }

  /// Addresses are tried in order until one plays; later ones are not requested.
  @Test func theFirstThatPlaysIsTheStation() throws {
    let rig = try StreamTests.Rig(seconds: 2)
    let urls = [
      rig.server.url("status", "404/a.wav"), "http://127.0.0.1:1/", rig.server.url("garbage", "a.wav"),
      rig.server.url("plain", "a.wav"), rig.server.url("linear", "a.wav"),
    ]
    try list(rig, "s.m3u", urls.joined(separator: "\n"))
    #expect(try heard(rig, "list", "s.m3u") == rig.samples)
    #expect(
      rig.server.requests.map { $0.split(separator: "/")[0] } == ["list", "status", "garbage", "plain"],
      "\(rig.server.requests)")
  }

  /// After a loss, the search continues with the address behind the last one played.
  @Test func theNextOneIsTriedFirst() throws {
    let rig = try StreamTests.Rig(seconds: 1)
    let urls = ["plain", "linear", "moved"].map { rig.server.url($0, "a.wav") }
    try list(rig, "s.m3u", urls.joined(separator: "\n"))
    for (previous, expected) in [(urls[0], "/linear"), (urls[2], "/plain"), ("http://else.where/", "/plain")]
    {
      var listener = try rig.listener("list", "s.m3u") { $0.stream?.previous = previous }
      _ = try listener.waitForReady()
      #expect(try #require(rig.server.requests.last).hasPrefix(expected))
      #expect(listener.worker.alternative?.contains(expected) == true)
    }
  }

  @Test func listsMayNameLists() throws {
    let rig = try StreamTests.Rig(seconds: 1)
    let server = rig.server
    try list(rig, "1.m3u", server.url("list", "2.pls") + "\n" + server.url("linear", "a.wav"))
    try list(rig, "2.pls", "[playlist]\nFile1=\(server.url("list", "3.m3u"))\n")
    try list(rig, "3.m3u", server.url("plain", "a.wav"))
    #expect(try heard(rig, "list", "1.m3u") == rig.samples)
    #expect(server.requests.last == "/plain/a.wav -")
  }

  @Test func listsThatNameOneAnotherEnd() throws {
    let rig = try StreamTests.Rig(seconds: 0.1)
    try list(rig, "me.m3u", rig.server.url("list", "me.m3u"))
    var reason = try failure(rig, "me.m3u")
    #expect(reason.kind == .refused && reason.sentence.contains("lead back"), "\(reason)")
    #expect(rig.server.requests.count == 1)
    // Each list names the next one.
    for number in 1...9 {
      try list(rig, "\(number).m3u", rig.server.url("list", "\(number + 1).m3u"))
    }
    reason = try failure(rig, "1.m3u")
    #expect(reason.kind == .refused && reason.sentence.contains("more than 3 deep"), "\(reason)")
    #expect(rig.server.requests.count == 5, "\(rig.server.requests)")
  }

  /// A station cannot make a box open local files, and the error names the path.
  @Test(arguments: ["file:///etc/passwd", "C:\\a.wav", "rtsp://x/y"])
  func pathsInAListAreNotOpened(path: String) throws {
    let rig = try StreamTests.Rig(seconds: 0.5)
    try list(rig, "s.m3u", path + "\n")
    let reason = try failure(rig, "s.m3u")
    #expect(reason.kind == .refused && reason.sentence.contains(path), "\(reason)")
    // Other addresses in the list may be played.
    try list(rig, "t.m3u", path + "\n" + rig.server.url("plain", "a.wav"))
    #expect(try heard(rig, "list", "t.m3u") == rig.samples)
  }

  /// An entry without a scheme is relative to the list's address, even if a local file of that name exists.
  @Test(arguments: [
    ("/etc/passwd", "/etc/passwd"), ("music/a.wav", "/list/music/a.wav"), ("../a.wav", "/a.wav"),
  ])
  func pathsInAListAreTheServers(path: String, asked: String) throws {
    let rig = try StreamTests.Rig(seconds: 0.5)
    try list(rig, "s.m3u", path + "\n" + rig.server.url("plain", "a.wav"))
    #expect(try heard(rig, "list", "s.m3u") == rig.samples)
    #expect(rig.server.requests.contains(asked + " -"), "\(rig.server.requests)")
  }

  @Test func anEndlessListIsRefused() throws {
    let rig = try StreamTests.Rig(seconds: 0.1)
    let reason = try failure(rig, "a.wav", manner: "endlesslist")
    #expect(reason.kind == .corrupt && reason.sentence.contains("does not end within 64 KiB"), "\(reason)")
  }

  /// The number of attempts per list is limited.
  @Test func aLongListIsGivenUp() throws {
    let rig = try StreamTests.Rig(seconds: 0.1)
    let urls = (0..<40).map { rig.server.url("status", "404/\($0)") }
    try list(rig, "s.m3u", urls.joined(separator: "\n"))
    let reason = try failure(rig, "s.m3u")
    #expect(reason.kind == .refused && reason.sentence.contains("No address"), "\(reason)")
    #expect(rig.server.requests.count == 16)
  }

  @Test(arguments: [
    ("#EXTM3U\n# nothing else\n", "names nothing"), ("[playlist]\n", "names nothing"),
    ("<playlist><trackList></trackList></playlist>", "names nothing"),
    ("http://127.0.0.1:1/\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\na.ts\n", "HLS"),
  ])
  func whatNamesNothingSaysSo(text: String, words: String) throws {
    let rig = try StreamTests.Rig(seconds: 0.1)
    try list(rig, "s.m3u", text)
    let reason = try failure(rig, "s.m3u")
    #expect(reason.sentence.contains(words), "\(reason)")
  }

  /// If one address failed temporarily, the station is retried.
  @Test func whatMayPassIsTriedAgain() throws {
    let rig = try StreamTests.Rig(seconds: 0.1)
    try list(
      rig, "s.m3u", rig.server.url("status", "404/a") + "\n" + rig.server.url("status", "503/a") + "\n")
    let reason = try failure(rig, "s.m3u")
    #expect(
      reason.kind == .network && reason.sentence.contains("404") && reason.sentence.contains("503"),
      "\(reason)")
  }

  @Test func aStationsListIsProbed() throws {
    let rig = try StreamTests.Rig(seconds: 1)
    try list(rig, "s.m3u", rig.server.url("status", "404/a") + "\n" + rig.server.url("plain", "a.wav"))
    let info = try Inspection.probe(rig.server.url("list", "s.m3u"), rate: SampleRate(48_000)) {
      $0.executable = Workbench.executable
      $0.plugins = rig.bench.plugins
      $0.stream?.plugins = Workbench.products.path
    }
    #expect(info.sourceFrames == 48_000)
  }
}
