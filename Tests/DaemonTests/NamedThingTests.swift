// Settings that name something that does not exist: refused, or accepted with a warning. Test threads.

import Console
import Foundation
import Platform
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct NamedThingTests {
  /// A name of nothing on the simulated machine, and a part of the answer.
  private static func absent(_ thing: NamedThing) -> (name: String, words: String) {
    switch thing {
    case .music: ("/music/nosuch", "'/music/nosuch'")
    case .sound, .file: ("/nosuch/file", "'/nosuch/file'")
    case .folder: ("/nosuch", "there is no folder '/nosuch' now")
    case .newFile: ("/nosuch/file", "there is no folder '/nosuch' now, so '/nosuch/file' cannot be written")
    case .output: ("hw:99", "there is no sound card of 'hw:99' now")
    case .button: ("nosuch", "there is no button 'nosuch'")
    case .group: ("nosuchgroup", "socket.group cannot be 'nosuchgroup': there is no such group")
    case .timeZone: ("Europe/Nosuch", "there is no such time zone")
    case .address: ("192.0.2.1:6600", "nothing can listen at")
    case .server: ("http://nosuch:3128", "")
    }
  }

  private func bench(_ lines: String = "", refusedGroups: [String: Int32] = [:]) throws -> Bench {
    let storage = Bench.storage(lines)
    storage.missingFolders = ["/nosuch"]
    let bench = try Bench(storage, refusedGroups: refusedGroups)
    bench.machine.missingOutputs = ["hw:99"]
    bench.machine.refusedAddresses = ["192.0.2.1:6600"]
    return bench
  }

  @Test(arguments: Setting.allCases.filter { $0.names != nil }) func aNameOfNothingIsNotTakenInSilence(
    setting: Setting
  ) throws {
    let thing = try #require(setting.names)
    let bench = try bench()
    let before = bench.ask("show \(setting.key)")
    let (name, words) = Self.absent(thing)
    let answer = bench.ask("set \(setting.key) \(name)")
    guard !thing.isRequired else {
      #expect(answer.hasPrefix("error") && answer.contains(words), "\(answer)")
      #expect(bench.ask("show \(setting.key)") == before)
      return
    }
    #expect(answer.hasPrefix("ok"), "\(answer)")
    if thing == .server {
      #expect(!answer.contains("warning"), "\(answer)")
    } else {
      #expect(answer.contains("warning: ") && answer.contains(words), "\(answer)")
    }
  }

  /// Alarms, tags and bindings play nothing from outside the music folders either.
  @Test(arguments: [
    "set alarm.fallback /etc/passwd", "set stream.fallback /etc/passwd", "alarm 7:00 daily play /etc/passwd",
    "tag 04aabbcc play /etc/passwd",
  ]) func musicOutsideTheFoldersHasAWarning(line: String) throws {
    let answer = try bench().ask(line)
    #expect(
      answer.contains("ok") && answer.contains("warning: '/etc/passwd' is outside the music folders"),
      "\(answer)")
  }

  @Test func sourcesHaveTheSameWarnings() throws {
    let bench = try bench()
    let answer = bench.ask("source line alsa hw:99")
    #expect(answer.contains("warning: there is no sound card of 'hw:99' now"), "\(answer)")
    let other = bench.ask("source pipe fifo /nosuch/fifo")
    #expect(other.contains("warning: ") && other.contains("'/nosuch/fifo'"), "\(other)")
  }

  /// An unknown group in the file must not cost the box its control socket.
  @Test func aFileWithAnUnknownGroupKeepsTheSocket() throws {
    let bench = try bench("set socket.group nosuchgroup\n")
    #expect(bench.machine.openedSocket == "/run/swiftlet/control ")
    #expect(
      bench.status("configuration") == "socket.group cannot be 'nosuchgroup': there is no such group")
    #expect(
      bench.machine.logged.contains {
        $0.contains("'nosuchgroup'") && $0.contains("belongs to the daemon's own group")
      })
  }

  /// A group that exists but that the daemon's user may not give files to.
  @Test func aGroupThatTheDaemonMayNotUseKeepsTheSocket() throws {
    let bench = try bench("set socket.group audio\n", refusedGroups: ["audio": EPERM])
    #expect(bench.machine.openedSocket == "/run/swiftlet/control ")
    let line = try #require(bench.machine.logged.first { $0.contains("socket.group") })
    #expect(line.contains("'audio'") && line.contains("Operation not permitted"), "\(line)")
  }
}
