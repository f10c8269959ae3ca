// What there is no room for in folders and playlists, and what cannot be read of them, is left out and said. Test threads.

import Decoding
import Foundation
import PlaybackModel
import Platform
import RealTimeSupport
import Testing

@testable import Media

@Suite(.realTime) struct FolderContentsTests {
  private let bench: Workbench
  private var folder: String { bench.directory.path }

  init() throws { bench = try Workbench() }

  private func files(_ names: some Sequence<String>, in place: String = "") throws {
    let inner = bench.directory.appendingPathComponent(place)
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    for name in names { try Data().write(to: inner.appendingPathComponent(name)) }
  }

  private func expanded(_ name: String = "") throws -> ExpandedMedia {
    try MediaList.expand(name.isEmpty ? folder : folder + "/" + name, executable: Workbench.executable)
  }

  @Test func aFolderThatFitsHasNothingToSay() throws {
    try files(["1.wav", "2.txt"], in: "a/b")
    let found = try expanded()
    #expect(found.tracks.count == 1 && found.note == nil)
  }

  @Test func moreTracksThanThereIsRoomForAreSaid() throws {
    try files((1...PlayQueue.limit).map { "\($0).wav" }, in: "a")
    try files(["cover.jpg"], in: "b")
    #expect(try expanded().note == nil, "it is full, and nothing was left out")
    try files(["1.wav"], in: "c")
    let found = try expanded()
    #expect(found.tracks.count == PlayQueue.limit)
    let note = try #require(found.note)
    #expect(note.contains("room for 10000 tracks") && note.contains("/a/10000.wav was left out"), "\(note)")
  }

  @Test func aPlaylistThatIsTooLongIsSaid() throws {
    let lines = (1...PlaylistContents.most).map { "\($0).wav\n" }.joined()
    try files(["1.wav"])
    try Data(lines.utf8).write(to: bench.directory.appendingPathComponent("whole.m3u"))
    try Data((lines + "1.wav\n").utf8).write(to: bench.directory.appendingPathComponent("long.m3u"))
    let entry = String(repeating: "x", count: 3000)
    let wide = String(repeating: "1.wav\n\(entry).wav\n", count: 400)
    try Data(wide.utf8).write(to: bench.directory.appendingPathComponent("wide.m3u"))
    #expect(try expanded("whole.m3u").note?.contains("room") == false)
    #expect(
      try expanded("long.m3u").note?.contains("long.m3u is longer than there is room for, 10000") == true)
    #expect(try expanded("wide.m3u").note?.contains("wide.m3u is longer than there is room for") == true)
    let entries = try Inspection.playlist(folder + "/wide.m3u", executable: Workbench.executable).entries
    #expect(entries.allSatisfy { $0.path == "1.wav" || $0.path == entry + ".wav" }, "none is cut off")
  }

  @Test(arguments: [
    ("a/disc.cue/track0001", 1), ("/m/A.CUE/track0999", 999), ("a/disc.cue/track0000", nil),
    ("a/disc.cue/track001", nil), ("a/disc.cue/track00001", nil), ("a/disc.flac/track0001", nil),
    ("a/disc.cue/track00x1", nil), ("track0001", nil), ("a/disc.cue", nil), ("", nil),
  ]) func aTrackOfACueSheetHasAName(path: String, number: Int?) {
    #expect(SheetTrack(path)?.number == number)
    if number != nil { #expect(SheetTrack(path)?.path == path) }
  }

  @Test func oneTrackOfACueSheetIsTaken() throws {
    let text =
      "FILE \"1.wav\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nTITLE B\nINDEX 01 00:01:00\n"
    try files(["1.wav"], in: "a")
    try Data(text.utf8).write(to: bench.directory.appendingPathComponent("a/disc.cue"))
    let found = try expanded("a/disc.cue/track0002").tracks
    #expect(found.map(\.title) == ["B"] && found.first?.section?.start == 75)
    #expect(found.first?.path == folder + "/a/1.wav")
    #expect(MediaRoots([folder]).locate("a/disc.cue/track0002") == folder + "/a/disc.cue/track0002")
    #expect(MediaRoots([folder]).locate("a/none.cue/track0002") == nil)
    do throws(PlaybackError) {
      _ = try MediaList.expand(folder + "/a/disc.cue/track0003", executable: Workbench.executable)
      Issue.record("there is no third track")
    } catch {
      #expect(error.kind == .missing && error.sentence.contains("has 2 tracks"))
    }
  }

  @Test func foldersThatAreTooDeepAreSaid() throws {
    let deep = (1...MediaList.deepestFolder).map(String.init).joined(separator: "/")
    try files(["shallow.wav"])
    try files(["deep.wav"], in: deep)
    let found = try expanded()
    #expect(found.tracks.map(\.displayName) == ["shallow.wav"])
    #expect(found.note == "\(folder)/\(deep) was left out: folders are looked into 16 deep.")
  }

  @Test func moreNamesThanAreListedAreSaid() throws {
    try files(["1.wav", "2.wav", "3.wav", ".hidden"], in: "a")
    let folder = folder + "/a"
    let (whole, cut) = (
      try Directory.listing(of: folder, limit: 3), try Directory.listing(of: folder, limit: 2)
    )
    #expect(whole.entries.count == 3 && !whole.isCut)
    #expect(cut.entries.count == 2 && cut.isCut)
    var found = FolderContents(roots: .everywhere, executable: Workbench.executable)
    found.list = { (path) throws(SystemError) in try Directory.listing(of: path, limit: 2) }
    try found.collect(folder)
    #expect(found.tracks.count == 2)
    #expect(found.leftOut.note == "\(folder) holds more than 100000 names: the others were left out.")
  }

  @Test func innerFoldersThatCannotBeReadAreLeftOut() throws {
    try files(["1.wav"], in: "a")
    try files(["2.wav"], in: "lost+found")
    try files(["3.wav"], in: "z")
    var found = FolderContents(roots: .everywhere, executable: Workbench.executable)
    let locked = folder + "/lost+found"
    found.list = { (path) throws(SystemError) in
      if path == locked { throw SystemError("opendir", on: path, code: SystemError.accessDenied) }
      return try Directory.listing(of: path)
    }
    try found.collect(folder)
    #expect(found.tracks.map(\.displayName) == ["1.wav", "3.wav"])
    #expect(found.leftOut.note == "\(locked) cannot be read (Permission denied) and was left out.")
    var alone = FolderContents(roots: .everywhere, executable: Workbench.executable)
    alone.list = found.list
    #expect(throws: SystemError.self, "nothing is left of a folder that is named itself") {
      try alone.collect(locked)
    }
  }
}
