// What control thread and audio thread share: two queues, a board of positions, a limit. No locks.

import PlaybackModel
import Synchronization

/// What the audio thread reports, in order.
package enum AudioReport: Sendable {
  /// Something on the timeline.
  case mixer(StampedEvent)
  /// The device ran dry, or slept; it plays on.
  case underrun(at: Frames)
  /// The device is gone; everything is held at this frame.
  case deviceLost(at: Frames)
  /// It is back.
  case deviceRestored
  /// The device refused a rewind: commands take a short queue from here on.
  case wentShallow
  /// The ring of a deck that is heard was full and is running low: its writer is late.
  case ringLow(Deck)
  /// Rendering stands at the limit that the control thread has set.
  case limitReached(Frames)
}

/// Where the sound is, as published by the audio thread after each turn.
package struct PositionReading: Sendable {
  /// Frames heard, decks and fade at that moment.
  package var positions: MixerPositions
  /// Monotonic nanoseconds of that moment.
  package var time: UInt64
  /// Whether time moves the frames on.
  package var isRunning: Bool
  /// The device has been given no frame from here on: nothing beyond can have been heard before the next turn.
  package var handedOver = Frames.zero
  /// From this frame on decks and fade may move otherwise.
  package var steadyUntil = Frames.zero

  /// Where everything is at a later time of the same clock, if the device goes on as it should.
  package func positions(at now: UInt64, rate: SampleRate) -> MixerPositions {
    guard isRunning, now > time, handedOver > positions.frame else { return positions }
    let passed = min(rate.frames(Seconds(Double(now - time) / 1e9)), handedOver - positions.frame)
    var later = positions
    later.frame += passed
    let moved = max(.zero, min(passed, steadyUntil - positions.frame))
    if positions.movesA { later.a &+= UInt64(bitPattern: moved.count) }
    if positions.movesB { later.b &+= UInt64(bitPattern: moved.count) }
    if let fade = positions.fade {
      let index = fade.index + Frames(Int64(Double(moved.count) * positions.fadePace))
      later.fade = FadeProgress(index: index, length: fade.length)
    }
    return later
  }
}

/// Counters since the start; each is written by the audio thread only.
@usableFromInline package struct AudioCounters: ~Copyable {
  /// Underruns that were heard.
  package let underruns = Atomic<Int>(0)
  /// Times the queue was taken back for a command.
  package let rewinds = Atomic<Int>(0)
  /// Turns of the loop: wake-ups of the audio thread.
  package let turns = Atomic<Int>(0)
  /// The device's losses.
  package let losses = Atomic<Int>(0)
  /// At the last fault: nanoseconds since the device had been asked.
  package let unasked = Atomic<Int>(0)
  /// At the last fault: frames that the device still had when it was asked.
  package let queued = Atomic<Int>(0)
  /// Nanoseconds by which the latest turn came too late, since somebody looked.
  private let lateness = Atomic<Int>(0)

  /// A turn came so late; audio thread.
  func noteLateness(_ nanoseconds: Int) {
    // Whoever looks in between costs one figure.
    if nanoseconds > lateness.load(ordering: .relaxed) { lateness.store(nanoseconds, ordering: .relaxed) }
  }

  /// By how much the latest turn since the last look came too late, in nanoseconds; control thread.
  package func takeLateness() -> UInt64 { UInt64(max(0, lateness.exchange(0, ordering: .relaxed))) }
}

/// The connection between the control thread and the audio thread.
package final class AudioLink: @unchecked Sendable {
  let commands = SPSCQueue<CommandRequest>(capacity: 256)
  let reports = SPSCQueue<AudioReport>(capacity: 512)
  /// The reading, word by word: whoever reads while it is written gets mixed words, and tries again.
  private let board: UnsafeMutablePointer<Atomic<UInt64>>
  private static let boardWords = (MemoryLayout<PositionReading>.size + 7) / 8
  /// The audio thread's own copy, from which the words are taken.
  private let written: UnsafeMutableRawPointer
  private let sequence = Atomic<UInt64>(0)
  let limit = Atomic<Int64>(.max)
  let parked = Atomic<Bool>(true)
  let shallow = Atomic<Bool>(false)
  /// Commands flushed so far: those beyond are part of a batch that is not complete.
  private let flushed = Atomic<Int>(0)
  private var sent = 0
  private var taken = 0
  /// Counters for `status` and the tests.
  package let counters = AudioCounters()
  private let wakeAudio: @Sendable () -> Void
  /// Called on the audio thread when reports wait.
  let notifyControl: @Sendable () -> Void

  /// Connects; `wakeAudio` ends the device's wait, `notifyControl` wakes the control thread.
  package init(
    wakeAudio: @escaping @Sendable () -> Void, notifyControl: @escaping @Sendable () -> Void
  ) {
    self.wakeAudio = wakeAudio
    self.notifyControl = notifyControl
    board = .allocate(capacity: Self.boardWords)
    written = .allocate(byteCount: Self.boardWords * 8, alignment: 16)
    written.initializeMemory(as: UInt64.self, repeating: 0, count: Self.boardWords)
    for i in 0..<Self.boardWords { (board + i).initialize(to: Atomic<UInt64>(0)) }
    // What generic types are is found out with their first use, behind a lock: here, not on the audio thread.
    _ = commands.isEmpty
    _ = reports.hasRoom(forMoreThan: 0)
    publish(
      PositionReading(
        positions: MixerPositions(frame: .zero, a: 0, b: 0, fade: nil), time: 0, isRunning: false))
  }

  deinit {
    board.deallocate()
    written.deallocate()
  }

  /// Sends a command; control thread. It is taken with the next `flush`. False if the queue is full: the
  /// audio thread has not run for long.
  package func send(_ request: CommandRequest) -> Bool {
    guard commands.push(request) else { return false }
    sent += 1
    return true
  }

  /// Lets the audio thread take what was sent; once after a batch, so that the batch takes effect together.
  package func flush() {
    flushed.store(sent, ordering: .releasing)
    wakeAudio()
  }

  /// Whether flushed commands wait; audio thread.
  var hasCommands: Bool { taken < flushed.load(ordering: .acquiring) }

  /// The next flushed command; audio thread.
  func takeCommand() -> CommandRequest? {
    guard hasCommands, let request = commands.pop() else { return nil }
    taken += 1
    return request
  }

  /// The next report; control thread.
  package func takeReport() -> AudioReport? { reports.pop() }

  /// Frames from this one on are not rendered until the limit is raised; `.max` is none. Control thread.
  package func setLimit(_ frame: Int64) {
    guard frame != limit.load(ordering: .relaxed) else { return }
    limit.store(frame, ordering: .releasing)
    wakeAudio()
  }

  /// Whether the device stands still with nothing to play.
  package var isParked: Bool { parked.load(ordering: .acquiring) }

  /// Whether the loop keeps a short queue only.
  package var isShallow: Bool { shallow.load(ordering: .acquiring) }

  /// The latest published reading; any thread. Tries again while the audio thread is writing (a seqlock:
  /// writes are rare and short, so this ends).
  package func reading() -> PositionReading {
    var copy = PositionReading(
      positions: MixerPositions(frame: .zero, a: 0, b: 0, fade: nil), time: 0, isRunning: false)
    while true {
      let before = sequence.load(ordering: .acquiring)
      withUnsafeMutableBytes(of: &copy) { bytes in
        for i in 0..<Self.boardWords {
          var word = board[i].load(ordering: .acquiring)
          withUnsafeBytes(of: &word) {
            (bytes.baseAddress! + i * 8).copyMemory(
              from: $0.baseAddress!, byteCount: min(8, bytes.count - i * 8))
          }
        }
      }
      if before % 2 == 0, sequence.load(ordering: .relaxed) == before { return copy }
    }
  }

  /// Publishes a reading; audio thread.
  @_noLocks @_noAllocation
  func publish(_ reading: PositionReading) {
    written.storeBytes(of: reading, as: PositionReading.self)
    sequence.store(sequence.load(ordering: .relaxed) + 1, ordering: .relaxed)
    let words = written.assumingMemoryBound(to: UInt64.self)
    var i = 0
    while i < Self.boardWords {
      board[i].store(words[i], ordering: .releasing)
      i += 1
    }
    sequence.store(sequence.load(ordering: .relaxed) + 1, ordering: .releasing)
  }
}
