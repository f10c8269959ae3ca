// The lookup of media names in isolation: matches, refusals, and storage that hangs. Test threads.

import Console
import PlaybackModel
import Testing

@testable import Daemon

@Suite struct MediaControllerTests {
  private let machine: SimulatedMachine
  private let media: MediaController
  private final class Looks { var all: [Bool] = [] }
  private let looks = Looks()

  init() throws {
    machine = SimulatedMachine(Bench.storage())
    machine.storage.folders["/music/empty"] = 0
    var options = BoxOptions()
    options.configuration = "/etc/box.conf"
    let configuration = try ConfigurationStore(
      options, on: machine, feed: EventFeed(machine.clock), log: Log(machine))
    let playlists = PlaylistBook(
      configuration, PersistentFile(on: machine, worker: try machine.backgroundWorker()),
      scheduler: machine.clock, log: Log(machine))
    let looks = looks
    media = MediaController(configuration, playlists, on: machine) { isOK, _ in looks.all.append(isOK) }
  }

  private func find(_ names: String..., seconds: Double = 1) -> MediaController.Lookup? {
    var found: MediaController.Lookup?
    media.find(names) { found = $0 }
    machine.clock.run(seconds: seconds)
    return found
  }

  @Test func tracksComeInTheOrderOfTheirNames() {
    guard case .tracks(let found)? = find("long", "short") else {
      Issue.record("not found")
      return
    }
    #expect(found.tracks.map { $0.path } == ["/music/long", "/music/short"] && !looks.all.contains(false))
  }

  @Test(arguments: [
    ("none", "there is no 'none' in /music"), ("empty", "it holds nothing that can be played"),
  ])
  func whatCannotBePlayedIsRefused(name: String, part: String) {
    guard case .refused(let error)? = find("short", name) else {
      Issue.record("not refused")
      return
    }
    #expect(error.sentence.contains(part), "\(error.sentence)")
  }

  @Test func storageThatHangsIsGivenUp() {
    machine.storage.hangs = true
    guard case .refused(let error)? = find("short", seconds: 31) else {
      Issue.record("not answered")
      return
    }
    #expect(error.sentence.contains("the storage /music does not answer"))
  }

  @Test func afterTheEndNobodyIsAnswered() {
    var answers = 0
    media.find(["short"]) { _ in answers += 1 }
    media.end()
    machine.clock.run(seconds: 60)
    #expect(answers == 0)
  }
}
