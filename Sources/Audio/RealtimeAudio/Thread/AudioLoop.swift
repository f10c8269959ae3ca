// The audio thread's work, one turn at a time: ask the device, take commands, render, write, say how long
// to wait. Runs on the audio thread, or on the control thread for files. Between two device calls it does
// only what the mixer's proved functions do.

import PlaybackModel
import Synchronization

/// Drives a mixer and a device.
package final class AudioLoop: @unchecked Sendable {
  enum Phase {
    /// The device stands still; nothing is to be heard.
    case parked
    case running
    /// The device is gone; the next try to get it back is due at this time.
    case lost(retryAt: UInt64, delay: UInt64)
  }

  /// What the next turn waits for.
  enum Wait {
    /// Nothing but a command.
    case command
    case nanoseconds(Int64)
    /// The device's queue, or whatever is heard before it wants more.
    case queue
  }

  let device: any PCMDevice
  let link: AudioLink
  var mixer: Mixer
  var phase = Phase.parked
  var strategy: BufferStrategy
  private let scratch: UnsafeMutableRawPointer
  /// What the device was given, and what of that is heard.
  var progress = OutputProgress()
  /// The frame from which on there was nothing but silence.
  var silentSince: Int64?
  /// What was reported last.
  var reported = ReportedLast()
  /// Whether the decks' writers have to be waited for.
  private(set) var isShort = false
  /// When it last did something for a command.
  private(set) var answered = AnswerTimes()
  /// How often the start was put off for a writer that has nothing yet.
  private var startsPutOff = 0
  /// When the next turn was to be, for how late it is.
  private var plannedTurn: UInt64?
  var faults = FaultHistory()
  let lengths: QueueLengths

  /// Takes an open device. Allocates everything that the loop will ever need.
  package init(device: any PCMDevice, link: AudioLink) {
    self.device = device
    self.link = link
    mixer = Mixer(rate: device.rate, format: device.format, channels: device.channels)
    strategy = device.strategy
    let byteCount = strategy.mostAtOnce * device.format.bytes * device.channels
    scratch = .allocate(byteCount: byteCount, alignment: 64)
    scratch.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    lengths = QueueLengths(rate: device.rate)
    if case .shallow = strategy { link.shallow.store(true, ordering: .releasing) }
  }

  deinit { scratch.deallocate() }

  /// The frame that will be rendered next.
  package var frame: Frames { mixer.frame }

  /// Does all that can be done now. Answers how many nanoseconds may pass until the next turn is needed; nil
  /// if only a command can bring one about.
  package func turn() -> Int64? {
    _ = link.counters.turns.wrappingAdd(1, ordering: .relaxed)
    if let plannedTurn {
      let now = device.now()
      if now > plannedTurn { link.counters.noteLateness(Int(clamping: now - plannedTurn)) }
    }
    var wait: Wait
    do throws(PCMFault) {
      switch phase {
      case .parked: wait = try parkedTurn()
      case .running: wait = try runningTurn()
      case .lost(let retryAt, let delay): wait = lostTurn(retryAt: retryAt, delay: delay)
      }
    } catch {
      wait = recover(from: error)
    }
    let steadyUntil = mixer.steadyUntil(from: Frames(progress.heard))
    publish(steadyUntil: steadyUntil)
    let pause: Int64? =
      switch wait {
      case .command: nil
      case .nanoseconds(let time): time
      case .queue: timeUntilNextTurn(steadyUntil: steadyUntil)
      }
    plannedTurn = isOffline ? nil : pause.map { device.now() + UInt64(max(0, $0)) }
    return pause
  }

  /// Frames from this one on are not rendered; `.max` is none.
  var limit: Int64 { link.limit.load(ordering: .acquiring) }
  var hasLimit: Bool { limit != .max }
  /// Whether a recording is made: what is rendered counts as heard.
  var isOffline: Bool { if case .offline = strategy { true } else { false } }

  // MARK: Phases

  private func parkedTurn() throws(PCMFault) -> Wait {
    // In a recording what follows from what is told may concern the very next frame.
    if standStill(), isOffline { return .nanoseconds(0) }
    reportLimit()
    guard mixer.frame.count < limit, hasLimit || !mixer.isQuiescent else {
      link.parked.store(true, ordering: .releasing)
      return .command
    }
    try device.prepare()
    // At rest it may have changed its mind about its buffer.
    adopt(deviceStrategy)
    phase = .running
    link.parked.store(false, ordering: .releasing)
    silentSince = nil
    let first = mixer.frame
    try fill(room: queueLimit)
    if mixer.frame == first, startsPutOff < 20 {
      // Nothing to begin with yet: the writer is waited for with the device at rest.
      startsPutOff += 1
      phase = .parked
      return .nanoseconds(2_000_000)
    }
    startsPutOff = 0
    try device.start()
    progress.start(at: device.now())
    // The device may have learnt about itself by playing.
    adopt(deviceStrategy)
    return .queue
  }

  /// Takes commands while the output does not move. Whether there was anything to tell.
  @discardableResult
  func standStill() -> Bool {
    takeCommands()
    mixer.settle()
    progress.rest(at: mixer.frame.count, time: device.now())
    let isTold = deliverEvents()
    mixer.forget(before: mixer.frame)
    return isTold
  }

  private func runningTurn() throws(PCMFault) -> Wait {
    var queued = try askDevice()
    if link.hasCommands {
      let got = try takeBack(queued: queued)
      queued -= got
      takeCommands()
      // They may bring sound that is over again within what is rendered next.
      silentSince = nil
      if got > 0 {
        try fill(room: lengths.firstWrite)
        queued = try askDevice()
      }
    }
    try fill(room: queueLimit - queued)
    deliverEvents()
    reportLowRings()
    mixer.forget(before: Frames(progress.heard))
    if shouldPark() {
      park()
      return .command
    }
    return .queue
  }

  // MARK: The device

  /// Frames to keep queued at most: few for a second after each command, for the next one may be near, and fewer while a live
  /// source sounds.
  var queueLimit: Int {
    let most = min(strategy.queue, device.bufferFrames, lengths.longest)
    guard case .deep = strategy, !hasLimit else { return most }
    if mixer.hasLiveInput { return min(most, lengths.live) }
    guard device.now() < answered.takenAt + 1_000_000_000 else { return most }
    return min(most, lengths.brisk)
  }

  /// Frames queued in the device. Updates what is being heard.
  private func askDevice() throws(PCMFault) -> Int {
    let available = try device.available()
    let queued = max(0, device.bufferFrames - available)
    let now = device.now()
    if progress.note(queued: queued, latency: device.latency, at: now) {
      faults.noteProgress()
    } else if queued > 0, now > progress.movedAt + longestStandstill {
      // Whatever it says, nothing is heard of it any more, and what waits for its queue waits for ever.
      throw .lost
    }
    return queued
  }

  /// Nanoseconds that a device that plays may stand still: the time of its whole buffer and a second.
  private var longestStandstill: UInt64 {
    UInt64(Double(device.bufferFrames) / Double(device.rate.hertz) * 1e9) + 1_000_000_000
  }

  /// Takes back what was queued, for commands to change it. Answers the frames taken back.
  private func takeBack(queued: Int) throws(PCMFault) -> Int {
    guard case .deep(_, let margin) = strategy, queued > margin, !hasLimit else { return 0 }
    let got = min(device.rewind(queued - margin), queued - margin)
    guard got > 0 else {
      // A card that is gone rewinds nothing either.
      _ = try askDevice()
      goShallow()
      return 0
    }
    answered.rewoundAt = device.now()
    _ = link.counters.rewinds.wrappingAdd(1, ordering: .relaxed)
    let target = mixer.frame.count - Int64(got)
    guard mixer.restore(to: Frames(target)) else {
      // The mixer's window is longer than any queue: the card has given back what it was never given.
      goShallow()
      throw .underrun
    }
    progress.takeBack(to: target)
    if let silent = silentSince, silent > target { silentSince = nil }
    return got
  }

  /// Renders and writes up to `room` frames, as far as the decks' rings reach.
  private func fill(room: Int) throws(PCMFault) {
    var room = wholeQuanta(room)
    isShort = false
    while room > 0 {
      // Ending where a quantum does, so that few are rendered in parts.
      var count = min(room, strategy.mostAtOnce - Int(mixer.frame.count % Int64(mixer.quantum)))
      // A command is not kept waiting for frames that it would have rendered again.
      if case .deep = strategy, isQueueComfortable, link.hasCommands { break }
      if hasLimit { count = Int(min(Int64(count), max(0, limit - mixer.frame.count))) }
      guard count > 0 else { break }
      mixer.applyDue()
      // An announcement is waited for while the music can wait with it.
      let supply =
        isOffline || isQueueAmple ? min(mixer.supply(), mixer.announcementSupply()) : mixer.supply()
      if supply < count {
        isShort = supply < room
        // What the worker has not decoded yet is waited for as long as the queue allows.
        if supply <= 0, isOffline || isQueueComfortable || (!progress.isStarted && startsPutOff < 20) {
          break
        }
        count = min(count, max(supply, Mixer.shortestQuantum))
      }
      // What follows from an event may concern the very next frame: a track may be shorter than a recording's turn.
      let rendered = mixer.render(
        count, into: scratch, stopsAtSilence: isOffline && !hasLimit, stopsAtEvents: isOffline)
      guard rendered > 0 else { break }
      guard try handOver(rendered) else { return }
      room -= rendered
      if isOffline {
        // It stands: a deck that is let go of is free at once.
        mixer.settle()
        progress.hear(upTo: mixer.frame.count)
        if deliverEvents() { break }
        mixer.forget(before: mixer.frame)
      }
    }
    reportLimit()
    if isOffline {
      progress.hear(upTo: mixer.frame.count)
      deliverEvents()
    }
  }

  /// So many frames from the present one, or fewer, that rendering ends with a quantum: parts of one cost as much
  /// as whole ones. Small numbers stay as they are, for they are what a short buffer has room for.
  private func wholeQuanta(_ frames: Int) -> Int {
    guard frames >= 4 * mixer.quantum else { return frames }
    return frames - Int((mixer.frame.count + Int64(frames)) % Int64(mixer.quantum))
  }

  /// Writes what was rendered. False if the device took less than it had promised: the rest is rendered again.
  private func handOver(_ rendered: Int) throws(PCMFault) -> Bool {
    var written = 0
    while written < rendered {
      let n = try device.write(scratch + written * mixer.frameBytes, frames: rendered - written)
      if n == 0 { return !mixer.restore(to: Frames(progress.handedOver)) }
      written += n
      progress.handOver(n)
    }
    return true
  }

  private func takeCommands() {
    // With a limit, or in a recording, what was decided has been told.
    if !hasLimit, !isOffline, link.hasCommands { mixer.reopenFrame() }
    guard link.hasCommands else { return }
    answered.takenAt = device.now()
    while !mixer.isTimelineFull, let request = link.takeCommand() { _ = mixer.insert(request) }
  }
}
