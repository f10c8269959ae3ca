// Names stored for later: warnings about names that match nothing. Test threads.

import Daemon
import Foundation
import Platform
import Testing

@testable import Simulator

@Suite struct ReferenceTests {
  private func bench() throws -> Bench {
    let storage = Bench.storage("button next gpio gpiochip0 1\n")
    storage.folders["/music"] = SimulatedFolder(entries: [
      DirectoryEntry(name: "long", isDirectory: false), DirectoryEntry(name: "short", isDirectory: false),
      DirectoryEntry(name: "Albums", isDirectory: true),
    ])
    storage.folders["/music/Albums"] = SimulatedFolder(entries: [
      DirectoryEntry(name: "Harbour", isDirectory: true)
    ])
    storage.tracks["/music/Albums/Harbour"] = SimulatedTrack(seconds: 30, level: 0.25)
    return try Bench(storage)
  }

  /// All commands that store a name, and whether they need an absolute one.
  static let commands: [(String, Bool)] = [
    ("tag 04aabbcc play NAME", false), ("tag 04aabbcc announce NAME", false),
    ("tag 04aabbcc queue add NAME", false),
    ("tag learn play NAME", false), ("alarm 7:00 daily play NAME", false),
    ("bind next long play NAME", false),
    ("bind next double queue insert next NAME", false), ("set alarm.fallback NAME", true),
    ("set stream.fallback NAME", true),
    ("set cues.ready NAME", true), ("set cues.error-file NAME", true),
  ]

  /// Names with different case, and with decomposed accents as macOS stores them.
  @Test(arguments: [
    ("albums/harbour", "Harbour"), ("ALBUMS/HARBOUR", "Harbour"), ("/music/albums/harbour", "Harbour"),
    ("H\u{d6}RB\u{dc}CHER", "Ho\u{308}rbu\u{308}cher"),
  ]) func theOneNameThatIsAlikePlays(typed: String, title: String) throws {
    let storage = Bench.storage("")
    storage.folders["/music"] = SimulatedFolder(entries: [
      DirectoryEntry(name: "Albums", isDirectory: true),
      DirectoryEntry(name: "Ho\u{308}rbu\u{308}cher", isDirectory: false),
    ])
    storage.folders["/music/Albums"] = SimulatedFolder(entries: [
      DirectoryEntry(name: "Harbour", isDirectory: false)
    ])
    storage.tracks["/music/Albums/Harbour"] = SimulatedTrack(seconds: 30, level: 0.25)
    storage.tracks["/music/Ho\u{308}rbu\u{308}cher"] = SimulatedTrack(seconds: 30, level: 0.25)
    let bench = try Bench(storage)
    let answer = bench.ask("play \(typed)")
    #expect(answer.contains("ok"), "\(answer)")
    let (state, heard) = (bench.status("state"), bench.status("title"))
    #expect(state == "playing" && heard == title)
    if !typed.hasPrefix("/") {
      let tag = bench.ask("tag 04aabbcc play \(typed)")
      #expect(tag.contains("ok") && !tag.contains("warning"), "\(tag)")
    }
  }

  /// Commands with a name that does not exist, and the lookup requests per music folder; each request is a
  /// process.
  static let questions: [(line: String, isMPD: Bool, questions: [String])] = [
    ("play NAME", false, ["locate", "match"]), ("queue add NAME", false, ["locate", "match"]),
    ("queue insert 1 NAME", false, ["locate", "match"]), ("announce NAME", false, ["locate", "match"]),
    ("playlist add mine NAME", false, ["locate", "match"]), ("media NAME", false, ["locate", "match"]),
    ("tag 04aabbcc play NAME", false, ["match"]), ("alarm 7:00 daily play NAME", false, ["match"]),
    ("set alarm.fallback /music/NAME", false, ["match"]), ("bind next long play NAME", false, ["match"]),
    ("add NAME", true, ["locate", "match"]), ("addid NAME", true, ["locate", "match"]),
    ("playlistadd mine NAME", true, ["locate", "match"]), ("lsinfo NAME", true, ["locate", "match"]),
  ]

  @Test(arguments: questions, ["Albms/Harbor/trak.flac", "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t.flac"])
  func aWrongNameTakesAQuestionOrTwo(
    asking: (line: String, isMPD: Bool, questions: [String]), name: String
  ) throws {
    let storage = Bench.storage("set media.removable off\nbutton next gpio gpiochip0 1\n")
    storage.folders["/music"] = SimulatedFolder(entries: [DirectoryEntry(name: "Albums", isDirectory: true)])
    storage.folders["/music/Albums"] = SimulatedFolder(entries: [
      DirectoryEntry(name: "Harbour", isDirectory: true)
    ])
    storage.folders["/music/Albums/Harbour"] = SimulatedFolder(entries: [
      DirectoryEntry(name: "track.flac", isDirectory: false)
    ])
    let mpd = try MPDBench(storage)
    let line = asking.line.replacingOccurrences(of: "NAME", with: name)
    let client = mpd.greeted()
    storage.questions = []
    let answer = asking.isMPD ? client.ask(line) : mpd.bench.ask(line)
    let asked = storage.questions
    #expect(asked == asking.questions, "\(answer)")
    if !asking.isMPD { #expect(answer.contains("there is no '"), "\(answer)") }
  }

  /// A name found under a different spelling takes one request more than an exact one.
  @Test func anAlikeNameTakesThreeQuestions() throws {
    let storage = Bench.storage("set media.removable off\n")
    storage.folders["/music"] = SimulatedFolder(entries: [DirectoryEntry(name: "Blue", isDirectory: false)])
    storage.tracks["/music/Blue"] = SimulatedTrack(seconds: 30, level: 0.25)
    let bench = try Bench(storage)
    for (name, wanted) in [("Blue", ["locate", "expand"]), ("blue", ["locate", "match", "expand"])] {
      storage.questions = []
      let answer = bench.ask("play \(name)")
      let asked = storage.questions
      #expect(answer.contains("ok") && asked == wanted)
    }
  }

  @Test func ofTwoNamesThatAreAlikeNeitherIsTaken() throws {
    let storage = Bench.storage("")
    storage.folders["/music"] = SimulatedFolder(
      entries: ["Album", "ALBUM"].map { DirectoryEntry(name: $0, isDirectory: false) })
    for name in ["Album", "ALBUM"] {
      storage.tracks["/music/" + name] = SimulatedTrack(seconds: 30, level: 0.25)
    }
    let bench = try Bench(storage)
    #expect(bench.ask("play album").contains("did you mean 'Album'"))
    #expect(bench.ask("play ALBUM").contains("ok"))
    #expect(bench.ask("play albun").contains("did you mean"))
  }

  private func line(_ command: String, _ isAbsolute: Bool, _ name: String) -> String {
    command.replacingOccurrences(of: "NAME", with: isAbsolute ? "/music/" + name : name)
  }

  @Test(arguments: commands) func aWrongNameIsTakenWithAWarning(command: String, isAbsolute: Bool) throws {
    let bench = try bench()
    let answer = bench.ask(line(command, isAbsolute, "albums/harbor"))
    let prefix = isAbsolute ? "/music/" : ""
    #expect(answer.contains("ok"), "\(answer)")
    #expect(
      answer.contains(
        "warning: there is no '\(prefix)albums/harbor' now; did you mean '\(prefix)Albums/Harbour'?")
        || answer.contains("did you mean '\(prefix)Albums'?"), "\(answer)")
    let far = bench.ask(line(command, isAbsolute, "quite/another"))
    // A cue is a file of any folder, which 'media' need not list.
    let hint = command.hasPrefix("set cues.") ? "" : "; 'media'"
    #expect(
      far.contains("ok") && far.contains("warning: there is no '\(prefix)quite/another' now\(hint)"), "\(far)"
    )
  }

  @Test(arguments: commands) func aRightNameIsTakenWithoutAWord(command: String, isAbsolute: Bool) throws {
    let bench = try bench()
    let answer = bench.ask(line(command, isAbsolute, "long"))
    #expect(answer.contains("ok") && !answer.contains("warning"), "\(answer)")
    if !isAbsolute {
      let stream = bench.ask(line(command, false, "http://radio.example/x"))
      #expect(stream.contains("ok") && !stream.contains("warning"), "\(stream)")
    }
  }

  /// An unmounted disk is reported differently from a wrong name.
  @Test(arguments: commands) func storageThatIsAwayIsToldFromAWrongName(command: String, isAbsolute: Bool)
    throws
  {
    let bench = try bench()
    bench.machine.storage.absentRoots = ["/music"]
    bench.machine.storage.tracks = [:]
    let answer = bench.ask(line(command, isAbsolute, "long"))
    #expect(answer.contains("ok") && answer.contains("the storage /music is away"), "\(answer)")
    #expect(!answer.contains("did you mean"))
  }
}
