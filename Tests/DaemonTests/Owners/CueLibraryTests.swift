// The loading of sound files for cues. Test threads.

import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct CueLibraryTests {
  /// A decoder that reports often has as much time as a quiet one.
  @Test(arguments: [0.02, 5, 19, 21, 60]) func aSlowFileHasTwentySeconds(opening: Double) throws {
    let storage = SimulatedStorage()
    storage.tracks["/bell"] = SimulatedTrack(seconds: 1, level: 0.5)
    storage.tracks["/bell"]?.opening = opening
    let machine = SimulatedMachine(storage)
    let library = CueLibrary(rate: SampleRate(44_100), on: machine)
    var notes: [String] = []
    library.onNote = { notes.append($0) }
    library.adopt { $0 == .ready ? "/bell" : nil }
    var isOver = false
    library.whenLoaded { isOver = true }
    let bound = min(opening, 20)
    machine.clock.run(seconds: bound - 0.01)
    #expect(!isOver && notes.isEmpty, "\(notes)")
    machine.clock.run(seconds: 0.5)
    #expect(isOver)
    if opening < 20 {
      #expect(notes.isEmpty)
      guard case .clip = library.sound(.ready) else {
        Issue.record("the built-in sound is played")
        return
      }
    } else {
      #expect(notes.count == 1 && notes[0].contains("takes too long"), "\(notes)")
    }
  }
}
