// Requests to look-up processes: each names the storage that it may wait for, so that the processes per
// storage can be limited. Test threads.
import Decoding
import Foundation
import Platform
import Testing

@testable import Media

@Suite struct LookupQuestionTests {
  private let roots = MediaRoots(["/srv/music", "/media/stick"])

  @Test(arguments: [LookupQuestion.Kind.locate, .expand, .list])
  func itsStorageIsTheRootThatItIsAbout(kind: LookupQuestion.Kind) {
    #expect(LookupQuestion(kind, of: "/media/stick/a", within: roots).storage == "/media/stick")
    #expect(LookupQuestion(kind, of: "/srv/music", within: roots).storage == "/srv/music")
    #expect(LookupQuestion(kind, of: "a", within: MediaRoots(["/srv/music"])).storage == "/srv/music")
    #expect(LookupQuestion(kind, of: "/etc", within: roots).storage == nil)
  }

  /// A match request searches its first root.
  @Test func aMatchIsAboutItsFirstRoot() {
    for name in ["a", "/media/stick/a", "/etc"] {
      #expect(LookupQuestion(.match, of: name, within: roots).storage == "/srv/music")
    }
  }

  @Test(arguments: [
    NameMatch.there, .alike("/srv/music/ü/B"), .away, .outside, .missing(suggestion: nil),
    .missing(suggestion: "Jazz/b"),
  ]) func aMatchComesBackFromItsBytes(match: NameMatch) {
    let bytes = LookupAnswer.match(match).bytes
    guard case .match(let read)? = LookupAnswer(bytes) else {
      Issue.record("no match")
      return
    }
    #expect(read == match)
    for count in 0..<bytes.count {
      if LookupAnswer(Array(bytes.prefix(count))) != nil { Issue.record("\(count) bytes are an answer") }
    }
  }

  @Test func timesOfEntriesComeBackFromTheirBytes() {
    let entries = [
      DirectoryEntry(name: "1a", isDirectory: true, modified: 1_800_000_000),
      DirectoryEntry(name: "-2 b", isDirectory: false, modified: -1),
      DirectoryEntry(name: "c", isDirectory: false),
    ]
    guard case .entries(let read)? = LookupAnswer(LookupAnswer.entries(entries).bytes) else {
      Issue.record("no entries")
      return
    }
    #expect(read == entries)
  }

  /// Each name in a folder is found exactly and by other spellings, and a missing name suggests the nearest
  /// one.
  @Test(arguments: [
    ("Jazz/Blue.flac", NameMatch.there), ("jazz/BLUE.flac", .alike("Jazz/Blue.flac")),
    ("Jaz/Blue.flac", .missing(suggestion: "Jazz/Blue.flac")),
    ("jazz/Blu.flac", .missing(suggestion: "Jazz/Blue.flac")),
    ("Jaz/nothing", .missing(suggestion: "Jazz")), ("quite/another", .missing(suggestion: nil)),
    ("two", .missing(suggestion: "Two")), ("Two", .there),
    (String(repeating: "x/", count: 40) + "y", .missing(suggestion: nil)),
  ]) func aNameIsMatched(name: String, wanted: NameMatch) throws {
    let folder = Directory.path(of: "swiftlet-match-\(UInt64.random(in: 0 ... .max))", in: temporaryFolder)
    let root = MediaRoots([folder])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for place in ["Jazz", "Two", "TWO"] {
      try FileManager.default.createDirectory(atPath: folder + "/" + place, withIntermediateDirectories: true)
    }
    try Data().write(to: URL(fileURLWithPath: folder + "/Jazz/Blue.flac"))
    for isAbsolute in [false, true] {
      func whole(_ path: String) -> String { folder + "/" + path }
      let expected: NameMatch =
        switch wanted {
        case .alike(let path): .alike(whole(path))
        case .missing(let near?) where isAbsolute: .missing(suggestion: whole(near))
        default: wanted
        }
      let found = NameMatch(isAbsolute ? whole(name) : name, within: root)
      #expect(found == expected)
    }
    #expect(NameMatch(name, within: MediaRoots([folder + "/TWO"])) == .away)
  }

  /// A link out of the music folders exists, and is not said to be missing; one to another music folder is followed.
  @Test func aLinkOutOfTheFoldersIsToldFromAMissingName() throws {
    let folder = Directory.path(of: "swiftlet-link-\(UInt64.random(in: 0 ... .max))", in: temporaryFolder)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder + "/music", withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: folder + "/outside.mp3"))
    for (name, target) in [("link.mp3", "../outside.mp3"), ("absolute.mp3", folder + "/outside.mp3")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/music/" + name, withDestinationPath: target)
    }
    let roots = MediaRoots([folder + "/music"])
    for name in ["link.mp3", "absolute.mp3", folder + "/music/link.mp3"] {
      #expect(NameMatch(name, within: roots) == .outside, "\(name)")
    }
    #expect(NameMatch("none.mp3", within: roots) != .outside)
  }

  private var temporaryFolder: String {
    FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
  }

  @Test func itComesBackFromItsWords() {
    let question = LookupQuestion(.list, of: "/srv/music/ü b", within: roots)
    #expect(LookupQuestion(question.words[...]) == question)
  }
}
