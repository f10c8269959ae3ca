// A box that nobody has asked for more than music: what its processes have not loaded. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct BoxQuietTests {
  /// Libraries of features that are off, and codecs of files that do not play.
  private static let unwanted = [
    "libavahi", "libmosquitto", "libnfc", "libsqlite3", "libcurl", "libsoxr", "libFLAC", "libopus",
    "libvorbis",
    "libmpg123", "SwiftletTransport",
  ]

  private static func children(_ process: Int32) -> [Int32] {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    return threads.flatMap { thread in
      let list = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/children", encoding: .utf8)
      return (list ?? "").split(separator: " ").compactMap { Int32($0) }
    }
  }

  @Test func whatIsOffIsNotLoaded() throws {
    let bench = try Workbench()
    let music = try bench.write(Coded.track(1, seconds: 60), as: "1.wav")
    let box = try BoxRig(bench: bench)
    try box.tell("play \(music)")
    var workers: [Int32] = []
    #expect(
      bench.waits {
        workers = Self.children(box.daemon.identifier)
        return (try? box.fields("status"))?["state"] == "playing" && !workers.isEmpty
      })
    for process in [box.daemon.identifier] + workers {
      let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
      #expect(Self.unwanted.filter { maps.contains($0) } == [])
    }
  }
}
