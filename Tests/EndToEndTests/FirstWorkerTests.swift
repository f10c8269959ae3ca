// The worker that is started before the output is opened, in cases in which the player cannot use it. Test
// threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct FirstWorkerTests {
  /// `--start-at` cannot use the worker that determined the output rate.
  @Test func aWorkerThatIsOfNoUseLeavesNothingBehind() throws {
    let bench = try Workbench()
    let file = try bench.write(Sound.piece(seconds: 20, seed: 7), as: "a.wav")
    let player = try bench.start(["play", "--device", "null", "--start-at", "5", file])
    func children() -> [String] {
      let path = "/proc/\(player.identifier)/task/\(player.identifier)/children"
      let list = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      return list.split(separator: " ").map { number in
        (try? String(contentsOfFile: "/proc/\(number)/cmdline", encoding: .utf8)) ?? ""
      }
    }
    #expect(bench.waits { children().contains { $0.contains("rate=44100") } })
    let isAlone = bench.waits { children().count == 1 }
    #expect(isAlone, "\(children())")
    let isUnmapped = bench.waits {
      let maps = (try? String(contentsOfFile: "/proc/\(player.identifier)/maps", encoding: .utf8)) ?? ""
      return maps.split(separator: "\n").filter { $0.contains("swiftlet-ring") }.count == 1
    }
    #expect(isUnmapped)
  }
}
