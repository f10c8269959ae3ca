// Playlists, read by a real worker in its sandbox. Test threads.

import Decoding
import Foundation
import Playlists
import Testing

@Suite struct PlaylistTests {
  /// The entries that a worker finds in a playlist file with these bytes.
  private func entries(
    _ bytes: [UInt8], executable: String = Workbench.executable
  ) throws -> [PlaylistEntry] {
    let path = NSTemporaryDirectory() + "/swiftlet-\(UUID().uuidString).m3u"
    _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try Inspection.playlist(path, executable: executable).entries
  }

  private static let xspf = "<playlist><track><location>a.mp3</location></track></playlist>"

  /// One playlist of each kind. The content decides, not the name.
  @Test(arguments: [
    ("#EXTM3U\na.mp3\n", ["a.mp3"]), ("[playlist]\nFile2=b\nFile1=a\n", ["a", "b"]), (xspf, ["a.mp3"]),
    ("<asx><entry><ref href='a.mp3'/></entry></asx>", ["a.mp3"]),
    ("FILE a.wav WAVE\nTRACK 1 AUDIO\nTITLE \"One\"\nINDEX 01 0:2:3", ["a.wav"]),
    // Text that starts like media files with embedded sheets.
    ("OggS by night.mp3\nb.mp3\n", ["OggS by night.mp3", "b.mp3"]), ("fLaC.flac\n", ["fLaC.flac"]),
    ("ID3.mp3\nID3 2.mp3", ["ID3.mp3", "ID3 2.mp3"]),
  ])
  func formats(_ text: String, _ expected: [String]) throws {
    #expect(try entries(Array(text.utf8)).map(\.path) == expected)
  }

  /// The converters are opened before the sandbox closes.
  @Test(
    arguments: [
      ([0x44, 0x6F, 0x6E, 0x92, 0x74], "Don’t"), ([0xCF, 0xE5, 0xF1, 0xED, 0xFF], "Песня"),
      ([0x83, 0x5C, 0x83, 0x93, 0x83, 0x4F], "ソング"),
    ] as [([UInt8], String)])
  func oldEncodingsAreConverted(_ bytes: [UInt8], _ expected: String) throws {
    #expect(try entries(bytes).map(\.path) == [expected])
  }

  @Test func aLongPlaylistIsCut() throws {
    let many = String(repeating: "x.mp3\n", count: 20_000)
    #expect(try entries(Array(many.utf8)).count == 10_000)
    let endless = [UInt8](repeating: 0x61, count: 3 << 20)
    #expect(try entries(endless).isEmpty)
    let tracks = String(repeating: "<track><location>a.mp3</location></track>", count: 50_000)
    #expect(try entries(Array("<playlist>\(tracks)".utf8)).count == 10_000)
  }

  @Test func aMalformedPlaylistIsReported() throws {
    for (text, words) in [
      ("a.mp3\u{0}\nb.mp3\n", "not text"), ("<playlist>\n</track>", "line 2: mismatched tag"),
    ] {
      let failure = try #require(throws: WorkerFailure.self) { try entries(Array(text.utf8)) }
      #expect(failure.kind == .corrupt && failure.sentence.contains(words), "\(failure)")
    }
  }

  @Test func aMissingPlaylistIsReported() {
    #expect { try Inspection.playlist("/nonexistent/list.m3u", executable: Workbench.executable) } throws: {
      ($0 as? WorkerFailure)?.kind == .missing
    }
  }

  /// XSPF needs libexpat; other playlists are read without it.
  @Test func aMissingLibraryIsNamedForXSPFOnly() throws {
    let bench = try Workbench()
    // An invalid file, found before the system's library.
    let folder = bench.directory.appendingPathComponent("libraries")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("no library".utf8).write(to: folder.appendingPathComponent("libexpat.so.1"))
    let script = try bench.script(
      "LD_LIBRARY_PATH='\(folder.path)'${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "
        + "exec '\(Workbench.executable)' \"$@\"")
    let failure = try #require(throws: WorkerFailure.self) {
      try entries(Array(Self.xspf.utf8), executable: script)
    }
    #expect(failure.kind == .internalError)
    #expect(failure.sentence.contains("install Debian's package libexpat1"), "\(failure.sentence)")
    for text in ["a.mp3", "[playlist]\nFile1=a.mp3", "<asx><ref href=a.mp3></asx>"] {
      #expect(try entries(Array(text.utf8), executable: script).map(\.path) == ["a.mp3"])
    }
  }
}
