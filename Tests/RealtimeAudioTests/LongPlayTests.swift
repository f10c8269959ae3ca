// What a whole turn of the audio loop may do: nothing that locks, allocates or blocks (under scripts/test-rtsan, which marks
// it), and no page fault, however long it plays.
import Foundation
import PlaybackModel
import RealtimeAudio
import Testing

@Suite(.serialized) struct LongPlayTests {
  @Test(arguments: [BufferStrategy.deep(queue: 22050, margin: 441), .shallow(queue: 1764)])
  func aTurnNeitherLocksNorAllocates(strategy: BufferStrategy) throws {
    let play = LongPlay(ClockDevice(strategy))
    let faults: [PCMFault?] = [.underrun, nil, .suspended, .lost, nil]
    // The testing library looks at the stack whenever something is thrown, and allocates for it: not within the mark.
    let marked = { (turn: () -> Int64?) in play.device.fault == nil ? realtime { turn() } : turn() }
    for fault in faults {
      try play.play(seconds: 40, marked)
      play.device.fault = fault
      try play.play(seconds: 2, marked)
      play.device.fault = nil
    }
    try play.play(seconds: 20, marked)
    #expect(play.skips > 10 && play.restorations == 1)
    #expect(play.link.counters.underruns.load(ordering: .relaxed) == 2)
  }

  private static var pageFaults: Int {
    var usage = rusage()
    // RUSAGE_THREAD.
    getrusage(1, &usage)
    return usage.ru_minflt + usage.ru_majflt
  }

  /// The thread's own faults, within the turns only: what maps the next track's ring is another thread's work.
  @Test(arguments: [BufferStrategy.deep(queue: 22050, margin: 441), .shallow(queue: 1764)])
  func anHourOfPlayFaultsNoPage(strategy: BufferStrategy) throws {
    let play = LongPlay(ClockDevice(strategy))
    // The code that skips, fades and pauses run through is in memory once each was done.
    try play.play(seconds: 60) { turn in turn() }
    var faults: [Int] = []
    try play.play(seconds: 3600) { turn in
      let before = Self.pageFaults
      let pause = turn()
      if Self.pageFaults > before { faults.append(Self.pageFaults - before) }
      return pause
    }
    #expect(faults.isEmpty, "\(faults.count) turns faulted, \(faults.prefix(10)) pages")
    #expect(play.skips > 200)
  }
}
