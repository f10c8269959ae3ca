// Data shared by the control thread and the audio thread: a command queue, a report queue, the playback position, and a
// rendering limit. Lock-free.

import PlaybackModel
import Synchronization

/// Reports of the audio thread, in order.
package enum AudioReport: Sendable {
  /// An event of the mixer's timeline.
  case mixer(StampedEvent)
  /// The device had an underrun or was suspended; playback continues.
  case underrun(at: Frames)
  /// The device is lost; the timeline is held at this frame.
  case deviceLost(at: Frames)
  /// The device is open again.
  case deviceRestored
  /// The device refused a rewind; the queue is short afterwards.
  case wentShallow
  /// The ring of an audible deck was full and is running low: its worker is late.
  case ringLow(Deck)
  /// Rendering has reached the limit set by the control thread.
  case limitReached(Frames)
}

/// Playback position, published by the audio thread after each turn of its loop.
package struct PositionReading: Sendable {
  /// Audible frame, and the positions of decks and fade at that time.
  package var positions: MixerPositions
  /// Time of the reading in nanoseconds of the monotonic clock.
  package var time: UInt64
  /// Whether the position advances with time.
  package var isRunning: Bool
  /// Frames passed to the device. Nothing from this frame on can be audible before the next turn.
  package var handedOver = Frames.zero
  /// From this frame on the movement of decks and fade may change.
  package var steadyUntil = Frames.zero

  /// Extrapolates the positions to a later time, assuming that the device plays without a fault.
  ///
  /// - Parameters:
  ///   - now: Nanoseconds of the monotonic clock.
  ///   - rate: Sample rate of the mixer.
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

/// Counters since the start. Only the audio thread increments them.
@usableFromInline package struct AudioCounters: ~Copyable {
  /// Audible underruns.
  package let underruns = Atomic<Int>(0)
  /// Rewinds of the device's queue for a command.
  package let rewinds = Atomic<Int>(0)
  /// Turns of the loop, which are wake-ups of the audio thread.
  package let turns = Atomic<Int>(0)
  /// Losses of the device.
  package let losses = Atomic<Int>(0)
  /// At the last fault: nanoseconds since the device was last queried.
  package let unasked = Atomic<Int>(0)
  /// At the last fault: frames that were queued in the device at the last query.
  package let queued = Atomic<Int>(0)
  /// Largest lateness of a turn since the last read, in nanoseconds.
  private let lateness = Atomic<Int>(0)

  /// Records the lateness of a turn. Audio thread.
  func noteLateness(_ nanoseconds: Int) {
    // No other thread raises the value, so a read between the two accesses loses none.
    if nanoseconds > lateness.load(ordering: .relaxed) { lateness.store(nanoseconds, ordering: .relaxed) }
  }

  /// Returns and resets the largest lateness of a turn, in nanoseconds. Control thread.
  package func takeLateness() -> UInt64 { UInt64(max(0, lateness.exchange(0, ordering: .relaxed))) }
}

/// The connection between the control thread and the audio thread.
package final class AudioLink: @unchecked Sendable {
  let commands = SPSCQueue<CommandRequest>(capacity: 256)
  let reports = SPSCQueue<AudioReport>(capacity: 512)
  /// The published reading, word by word. A read during a write gets mixed words and is repeated.
  private let board: UnsafeMutablePointer<Atomic<UInt64>>
  private static let boardWords = (MemoryLayout<PositionReading>.size + 7) / 8
  /// The audio thread's own copy, from which the words are published.
  private let written: UnsafeMutableRawPointer
  private let sequence = Atomic<UInt64>(0)
  let limit = Atomic<Int64>(.max)
  let parked = Atomic<Bool>(true)
  let shallow = Atomic<Bool>(false)
  /// Number of flushed commands; later ones belong to an incomplete batch.
  private let flushed = Atomic<Int>(0)
  private var sent = 0
  private var taken = 0
  /// Counters for `status` and the tests.
  package let counters = AudioCounters()
  private let wakeAudio: @Sendable () -> Void
  /// Called on the audio thread when reports are waiting.
  let notifyControl: @Sendable () -> Void

  /// Creates a connection.
  ///
  /// - Parameters:
  ///   - wakeAudio: Ends the device's wait.
  ///   - notifyControl: Wakes the control thread; called on the audio thread.
  package init(
    wakeAudio: @escaping @Sendable () -> Void, notifyControl: @escaping @Sendable () -> Void
  ) {
    self.wakeAudio = wakeAudio
    self.notifyControl = notifyControl
    board = .allocate(capacity: Self.boardWords)
    written = .allocate(byteCount: Self.boardWords * 8, alignment: 16)
    written.initializeMemory(as: UInt64.self, repeating: 0, count: Self.boardWords)
    for i in 0..<Self.boardWords { (board + i).initialize(to: Atomic<UInt64>(0)) }
    // Instantiating generic types takes a lock in the Swift runtime at first use. Do it here, not on the audio thread.
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

  /// Queues a command; it is processed after the next `flush`. Control thread.
  ///
  /// - Returns: False if the queue is full because the audio thread has not run for a long time.
  package func send(_ request: CommandRequest) -> Bool {
    guard commands.push(request) else { return false }
    sent += 1
    return true
  }

  /// Releases the queued commands to the audio thread. Called once per batch, so that the batch takes effect together.
  package func flush() {
    flushed.store(sent, ordering: .releasing)
    wakeAudio()
  }

  /// Whether flushed commands are waiting. Audio thread.
  var hasCommands: Bool { taken < flushed.load(ordering: .acquiring) }

  /// Dequeues the next flushed command. Audio thread.
  func takeCommand() -> CommandRequest? {
    guard hasCommands, let request = commands.pop() else { return nil }
    taken += 1
    return request
  }

  /// Dequeues the next report. Control thread.
  package func takeReport() -> AudioReport? { reports.pop() }

  /// Sets the first frame that must not be rendered; `.max` means no limit. Control thread.
  package func setLimit(_ frame: Int64) {
    guard frame != limit.load(ordering: .relaxed) else { return }
    limit.store(frame, ordering: .releasing)
    wakeAudio()
  }

  /// Whether the device is stopped and nothing is playing.
  package var isParked: Bool { parked.load(ordering: .acquiring) }

  /// Whether the loop keeps only a short queue.
  package var isShallow: Bool { shallow.load(ordering: .acquiring) }

  /// The latest published reading. Any thread.
  ///
  /// Uses a seqlock: a read during a write is repeated. Writes are rare and short.
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
