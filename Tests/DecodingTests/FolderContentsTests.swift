// Tracks of folders and playlists beyond the limit, and files that cannot be read, are skipped and reported.
// Real workers; test threads.

import ChildSupport
import Decoding
import Foundation
import PlaybackModel
import Platform
import Playlists
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

  @Test(arguments: [["song.wma"], ["song.WMA", "b.ape"]]) func soundsWithoutACodecAreSaid(names: [String])
    throws
  {
    try files(names, in: "a")
    let found = try expanded()
    let note = try #require(found.note)
    #expect(
      found.tracks.isEmpty && note.contains("no codec of Swiftlet reads") && note.contains("/a/"), "\(note)")
    try files(["1.wav"], in: "a")
    #expect(try expanded().tracks.count == 1)
  }

  @Test func moreTracksThanThereIsRoomForAreSaid() throws {
    try files((1...PlayQueue.limit).map { "\($0).wav" }, in: "a")
    try files(["cover.jpg"], in: "b")
    #expect(try expanded().note == nil, "it is full, and nothing was left out")
    try files(["1.wav"], in: "c")
    let found = try expanded()
    #expect(found.tracks.count == PlayQueue.limit)
    let note = try #require(found.note)
    #expect(note.contains("room for 10000 tracks") && note.contains("/a/10000.wav were left out"), "\(note)")
  }

  @Test func playlistsAndFoldersWithinAPlaylistAreExpanded() throws {
    try files(["1.wav", "2.wav"], in: "album")
    try files(["x.wav", "y.wav"])
    try Data("x.wav\n../album\n".utf8).write(to: bench.directory.appendingPathComponent("album/inner.m3u"))
    try Data(
      "FILE \"y.wav\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 00:01:00\n".utf8
    ).write(
      to: bench.directory.appendingPathComponent("y.cue"))
    try Data("y.wav\nalbum\nalbum/inner.m3u\ny.cue\ny.cue/track0002\ngone.m3u\n".utf8).write(
      to: bench.directory.appendingPathComponent("outer.m3u"))
    let found = try expanded("outer.m3u")
    let names = found.tracks.map { String($0.path.dropFirst(folder.utf8.count + 1)) }
    #expect(
      names == [
        "y.wav", "album/1.wav", "album/2.wav", "album/1.wav", "album/2.wav", "y.wav", "y.wav", "y.wav",
      ])
    #expect(found.tracks.suffix(3).map { $0.section?.start } == [0, 75, 75])
    #expect(found.note == "2 of 10 entries of outer.m3u and the playlists in it do not exist.")
  }

  /// A folder that a playlist names reports the same losses as one that is added by itself.
  @Test func lossesOfAFolderWithinAPlaylistAreReported() throws {
    try files(["1.wav", "x.wma"], in: "a")
    try files([], in: "b")
    try files(["cover.jpg"], in: "c")
    try files(["1.wav"], in: "d" + String(repeating: "/d", count: MediaList.deepestFolder))
    try Data("a\nb\n".utf8).write(to: bench.directory.appendingPathComponent("one.m3u"))
    try Data("a\nb\nc\nd\n".utf8).write(to: bench.directory.appendingPathComponent("all.m3u"))
    let one = try expanded("one.m3u")
    #expect(one.tracks.count == 1)
    #expect(one.note?.hasPrefix("\(folder)/b is a directory without music, and was left out. ") == true)
    #expect(one.note?.contains("\(folder)/a/x.wma was left out, because no codec") == true)
    let all = try #require(try expanded("all.m3u").note)
    #expect(
      all.contains("2 directories without music were left out, the first of them \(folder)/b."), "\(all)")
    #expect(all.contains("/d/d was left out: folders are looked into"), "\(all)")
  }

  @Test func playlistsThatNameThemselvesEnd() throws {
    try files(["1.wav"])
    try Data("1.wav\nb.m3u\na.m3u\n".utf8).write(to: bench.directory.appendingPathComponent("a.m3u"))
    try Data("a.m3u\n1.wav\n".utf8).write(to: bench.directory.appendingPathComponent("b.m3u"))
    let found = try expanded("a.m3u")
    #expect(found.tracks.count == 2)
    let note = try #require(found.note)
    #expect(
      note.contains("2 folders or playlists cannot be read") && note.contains("it names itself"), "\(note)")
  }

  @Test func playlistsWithinPlaylistsAreBounded() throws {
    try files(["1.wav"])
    for depth in 0..<20 {
      try Data("1.wav\n\(depth + 1).m3u\n".utf8).write(
        to: bench.directory.appendingPathComponent("\(depth).m3u"))
    }
    let found = try expanded("0.m3u")
    #expect(found.tracks.count == PlaylistExpansion.maxDepth)
    #expect(found.note?.contains("/8.m3u cannot be read") == true, "\(String(describing: found.note))")
  }

  @Test func namesOutsideTheRootsAreLeftOut() throws {
    try files(["1.wav"], in: "root")
    try files(["2.wav"], in: "other")
    let other = bench.directory.appendingPathComponent("other")
    try Data("2.wav\n".utf8).write(to: other.appendingPathComponent("list.m3u"))
    try FileManager.default.createSymbolicLink(
      at: bench.directory.appendingPathComponent("root/link"), withDestinationURL: other)
    try Data("1.wav\n../other\n../other/list.m3u\nlink\nlink/list.m3u\n".utf8).write(
      to: bench.directory.appendingPathComponent("root/list.m3u"))
    let found = try MediaList.expand(
      folder + "/root/list.m3u", within: MediaRoots([folder + "/root"]), executable: Workbench.executable)
    #expect(found.tracks.map(\.path) == [folder + "/root/1.wav"])
    let note = try #require(found.note)
    #expect(note.contains("4 folders or playlists") && note.contains("outside the music folders"), "\(note)")
  }

  /// Playlist entries as Windows and macOS write them, and the file that each refers to; nil for none or an
  /// ambiguous one.
  @Test(arguments: [
    ("Album\\01 Eins.wav", "Album/01 Eins.wav"), (".\\Album\\01 Eins.wav", "Album/01 Eins.wav"),
    ("..\\lists\\Album\\01 Eins.wav", "Album/01 Eins.wav"),
    ("D:\\Music\\lists\\Album\\01 Eins.wav", "Album/01 Eins.wav"),
    ("C:\\01 eins.WAV", nil), ("album/01 eins.wav", "Album/01 Eins.wav"),
    ("ALBUM\\01 EINS.WAV", "Album/01 Eins.wav"),
    ("H\u{f6}rb\u{fc}cher/\u{dc}ber.wav", "Ho\u{308}rbu\u{308}cher/U\u{308}ber.wav"),
    ("Ho\u{308}rbu\u{308}cher\\u\u{308}ber.wav", "Ho\u{308}rbu\u{308}cher/U\u{308}ber.wav"),
    ("back\\slash.wav", "back\\slash.wav"), ("twice/A.wav", "twice/A.wav"), ("TWICE/a.WAV", nil),
    ("none\\1.wav", nil),
  ]) func entriesOfOtherSystemsAreFound(entry: String, file: String?) throws {
    try files(["01 Eins.wav"], in: "lists/Album")
    try files(["U\u{308}ber.wav"], in: "lists/Ho\u{308}rbu\u{308}cher")
    try files(["A.wav", "a.wav"], in: "lists/twice")
    try files(["back\\slash.wav", "there.wav"], in: "lists")
    try Data("\(entry)\nthere.wav\n".utf8).write(to: bench.directory.appendingPathComponent("lists/list.m3u"))
    let paths = try expanded("lists/list.m3u").tracks.map(\.path)
    // A folder's path may contain a symbolic link.
    #expect(paths.count == (file == nil ? 1 : 2))
    guard let file else { return }
    let found = try #require(paths.first)
    let isThere = FileManager.default.fileExists(atPath: found)
    #expect(
      isThere && (found.utf8.elementsEqual((folder + "/lists/" + file).utf8) || found.contains("..")),
      "\(found)")
  }

  /// A file with a Latin-1 name, found in its folder and through playlists in UTF-8 and in Latin-1.
  @Test func namesInLatin1ArePlayed() throws {
    try files(["other.wav"], in: "a")
    let name = [0xDC] + Array("ber.wav".utf8)
    let path = folder + "/a/" + String(pathBytes: name)
    path.withPath { _ = close(open($0, O_CREAT | O_WRONLY, 0o644)) }
    #expect(try expanded("a").tracks.count == 2)
    #expect(try expanded("a").tracks.contains { $0.path.utf8.elementsEqual(path.utf8) })
    for entry in [Array("\u{DC}ber.wav".utf8), name, Array("\u{FC}BER.wav".utf8)] {
      try Data(entry + [0x0A]).write(to: bench.directory.appendingPathComponent("a/list.m3u"))
      let found = try expanded("a/list.m3u").tracks.map(\.path)
      #expect(found.count == 1 && found[0].utf8.elementsEqual(path.utf8), "\(found)")
    }
  }

  @Test func aPlaylistThatIsTooLongIsSaid() throws {
    let lines = (1...PlaylistContents.maxCount).map { "\($0).wav\n" }.joined()
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
    ("a/disc.cue/track001", nil), ("a/disc.cue/track00001", nil), ("a/disc.flac/track0012", 12),
    ("a/disc.wav/track0001", nil),
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

  /// Encodings that embed a cue sheet of three tracks in a file of 90 s.
  static let holders: [(ending: String, command: String, hasTitles: Bool)] = [
    ("flac", "flac -s in.wav -o OUT --cuesheet=in.cue", false),
    ("flac", "flac -s in.wav -o OUT --tag-from-file=CUESHEET=in.cue", true),
    ("flac", "flac -s in.wav -o OUT --cuesheet=in.cue --tag-from-file=Cuesheet=in.cue", true),
    // After an ID3v2.4 tag, without and with a footer.
    (
      "flac",
      "flac -s in.wav -o x --tag-from-file=CUESHEET=in.cue && "
        + "(printf 'ID3\\004\\000\\000\\000\\000\\000\\001\\000'; cat x) > OUT && rm x", true
    ),
    (
      "flac",
      "flac -s in.wav -o x --tag-from-file=CUESHEET=in.cue && "
        + "(printf 'ID3\\004\\000\\020\\000\\000\\000\\001\\0003DI\\004\\000\\020\\000\\000\\000\\001'; "
        + "cat x) > OUT && rm x", true
    ),
    ("oga", "flac -s --ogg in.wav -o OUT --cuesheet=in.cue", false),
    ("oga", "flac -s --ogg in.wav -o OUT --tag-from-file=CUESHEET=in.cue", true),
    ("ogg", "oggenc -Q in.wav -o OUT -c \"CUESHEET=$(cat in.cue)\"", true),
    ("opus", "opusenc --quiet --comment \"CUESHEET=$(cat in.cue)\" in.wav OUT", true),
  ]

  /// An embedded sheet gives the same tracks as a sheet beside the file, which takes precedence.
  @Test(arguments: 0..<holders.count) func aFileMayHoldItsSheet(_ number: Int) throws {
    let (ending, command, hasTitles) = Self.holders[number]
    try files([], in: "a")
    let place = bench.directory.appendingPathComponent("a")
    let sheet =
      "PERFORMER Band\nTITLE Disc\nFILE other.wav WAVE\nTRACK 01 AUDIO\nTITLE A\nINDEX 01 00:00:00\n"
      + "TRACK 02 AUDIO\nTITLE B\nINDEX 00 00:28:00\nINDEX 01 00:30:00\nTRACK 03 AUDIO\nTITLE C\nINDEX 01 01:00:37\n"
    try Data(sheet.utf8).write(to: place.appendingPathComponent("in.cue"))
    let script =
      "ffmpeg -v error -f lavfi -i sine=duration=90:sample_rate=44100 in.wav && "
      + command.replacingOccurrences(of: "OUT", with: "disc.\(ending)") + " && rm in.cue in.wav"
    let outcome = try Child(URL(filePath: "/bin/sh"), ["-c", script], in: place).wait(seconds: 60)
    try #require(outcome.status == 0, "\(outcome)")
    let file = folder + "/a/disc.\(ending)"
    let found = try expanded("a/disc.\(ending)").tracks
    #expect(found.map(\.path) == [file, file, file])
    #expect(
      found.map(\.section) == [
        FileSection(start: 0, end: 2250), FileSection(start: 2250, end: 4537),
        FileSection(start: 4537, end: nil),
      ])
    #expect(found.map(\.trackNumber) == [1, 2, 3])
    if hasTitles { #expect(found.map(\.title) == ["A", "B", "C"] && found.first?.album == "Disc") }
    let second = try expanded("a/disc.\(ending)/track0002").tracks
    #expect(second.map(\.section) == [FileSection(start: 2250, end: 4537)])
    // In a folder, only files as large as a disc are searched for an embedded sheet.
    #expect(try expanded("a").tracks.count == 1)
    let handle = try FileHandle(forWritingTo: URL(filePath: file))
    try handle.truncate(atOffset: 33 << 20)
    try handle.close()
    #expect(try expanded("a").tracks.count == 3)
    // A sheet beside the file.
    let beside =
      "FILE disc.\(ending) WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 00:10:00\n"
    try Data(beside.utf8).write(to: place.appendingPathComponent("disc.cue"))
    #expect(try expanded("a").tracks.map(\.section?.start) == [0, 750])
    #expect(try expanded("a/disc.\(ending)").tracks.map(\.section) == [nil])
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
