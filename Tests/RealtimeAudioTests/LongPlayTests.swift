// A turn of the audio loop never locks, allocates or blocks (marked for scripts/test-rtsan) and causes no
// page fault, however long it plays. Test threads.
import Foundation
import PlaybackModel
import RealtimeAudio
import Testing

@Suite(.serialized) struct LongPlayTests {
  @Test(arguments: [BufferStrategy.deep(queue: 22050, margin: 441), .shallow(queue: 1764)])
  func aTurnNeitherLocksNorAllocates(strategy: BufferStrategy) throws {
    let play = LongPlay(ClockDevice(strategy))
    let faults: [PCMFault?] = [.underrun, nil, .suspended, .lost, nil]
    // When an error is thrown, the testing library captures the stack, which allocates; such turns are not
    // marked.
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

  /// Counts this thread's page faults within the turns only: mapping the next track's ring happens on another
  /// thread.
  @Test(arguments: [BufferStrategy.deep(queue: 22050, margin: 441), .shallow(queue: 1764)])
  func anHourOfPlayFaultsNoPage(strategy: BufferStrategy) throws {
    let play = LongPlay(ClockDevice(strategy))
    // After one minute, the code of skips, fades and pauses is resident.
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
