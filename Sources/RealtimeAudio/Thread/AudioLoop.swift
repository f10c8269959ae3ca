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

  let device: any PCMDevice
  let link: AudioLink
  var mixer: Mixer
  var phase = Phase.parked
  private var strategy: BufferStrategy
  private let scratch: UnsafeMutableRawPointer
  private let scratchFrames: Int
  /// The frame being heard when the device was last asked, and when that was.
  private var heard: Int64 = 0
  private var heardAt: UInt64 = 0
  /// The frame from which on there was nothing but silence.
  private var silentSince: Int64?
  private var reportedLimit: Int64 = -1
  /// The first frame that the device was not given yet.
  private var handedOver: Int64 = 0
  /// Whether what was handed over is being played.
  private var isStarted = false
  /// Whether the decks' writers have to be waited for.
  private var isShort = false
  /// When something was last taken back.
  private var rewoundAt: UInt64 = 0
  /// How often the start was put off for a writer that has nothing yet.
  private var startsPutOff = 0
  /// When the next turn was to be, for how late it is.
  private var plannedTurn: UInt64?
  /// Faults since the device last played anything.
  private var faultsInARow = 0
  /// The longest queue that the mixer can render again.
  private let longestQueue: Int
  private let linger: Int64
  private let lowWater: Int64
  /// Frames that are written at once after a rewind, before the rest is rendered.
  private let firstWrite: Int

  /// Takes an open device. Allocates everything that the loop will ever need.
  package init(device: any PCMDevice, link: AudioLink) {
    self.device = device
    self.link = link
    mixer = Mixer(rate: device.rate, format: device.format, channels: device.channels)
    strategy = device.strategy
    scratchFrames = 4096
    scratch = .allocate(byteCount: scratchFrames * device.format.bytes * device.channels, alignment: 64)
    scratch.initializeMemory(
      as: UInt8.self, repeating: 0, count: scratchFrames * device.format.bytes * device.channels)
    longestQueue = Int(device.rate.frames(Mixer.longestQueue).count)
    linger = device.rate.frames(Seconds(1)).count
    lowWater = device.rate.frames(Seconds(0.15)).count
    firstWrite = Int(device.rate.frames(Seconds(0.015)).count)
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
    var pause: Int64?
    do throws(PCMFault) {
      switch phase {
      case .parked: pause = try parkedTurn()
      case .running: pause = try runningTurn()
      case .lost(let retryAt, let delay): pause = try lostTurn(retryAt: retryAt, delay: delay)
      }
    } catch {
      pause = recover(from: error)
    }
    publish()
    plannedTurn = isOffline ? nil : pause.map { device.now() + UInt64(max(0, $0)) }
    return pause
  }

  private var limit: Int64 { link.limit.load(ordering: .acquiring) }
  private var hasLimit: Bool { limit != .max }

  // MARK: Phases

  private func parkedTurn() throws(PCMFault) -> Int64? {
    standStill()
    reportLimit()
    guard mixer.frame.count < limit, hasLimit || !mixer.isQuiescent else {
      link.parked.store(true, ordering: .releasing)
      return nil
    }
    try device.prepare()
    phase = .running
    link.parked.store(false, ordering: .releasing)
    silentSince = nil
    try fill(room: queueLimit)
    if mixer.frame.count == heard, startsPutOff < 20 {
      // Nothing to begin with yet: the writer is waited for with the device at rest.
      startsPutOff += 1
      phase = .parked
      return 2_000_000
    }
    startsPutOff = 0
    try device.start()
    isStarted = true
    heardAt = device.now()
    // The device may have learnt about itself by playing.
    if !link.isShallow { adopt(device.strategy) }
    return try nextTurn()
  }

  /// Takes commands while the output does not move.
  private func standStill() {
    takeCommands()
    mixer.settle()
    heard = mixer.frame.count
    handedOver = heard
    heardAt = device.now()
    isStarted = false
    deliverEvents()
    mixer.forget(before: mixer.frame)
  }

  private func runningTurn() throws(PCMFault) -> Int64? {
    var queued = try askDevice()
    if link.hasCommands {
      let got = try takeBack(queued: queued)
      queued -= got
      takeCommands()
      // They may bring sound that is over again within what is rendered next.
      silentSince = nil
      if got > 0 {
        try fill(room: firstWrite)
        queued = try askDevice()
      }
    }
    try fill(room: queueLimit - queued)
    deliverEvents()
    mixer.forget(before: Frames(heard))
    if shouldPark() {
      park()
      return nil
    }
    return try nextTurn()
  }

  private func lostTurn(retryAt: UInt64, delay: UInt64) throws(PCMFault) -> Int64? {
    standStill()
    if mixer.hasCues {
      mixer.dropCues()
      mixer.settle()
    }
    let now = device.now()
    guard now >= retryAt else { return Int64(retryAt - now) }
    guard device.reopen() else {
      let next = min(delay * 2, 500_000_000)
      phase = .lost(retryAt: now + next, delay: next)
      return Int64(next)
    }
    adopt(device.strategy)
    phase = .parked
    report(.deviceRestored)
    return 0
  }

  // MARK: The device

  /// Frames to keep queued at most.
  private var queueLimit: Int { min(strategy.queue, device.bufferFrames, longestQueue) }

  /// Frames queued in the device. Updates what is being heard.
  private func askDevice() throws(PCMFault) -> Int {
    let available = try device.available()
    let queued = max(0, device.bufferFrames - available)
    let playing = handedOver - Int64(queued)
    if playing > heard {
      heard = playing
      faultsInARow = 0
    }
    heardAt = device.now()
    return queued
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
    rewoundAt = device.now()
    _ = link.counters.rewinds.wrappingAdd(1, ordering: .relaxed)
    let target = mixer.frame.count - Int64(got)
    guard mixer.restore(to: Frames(target)) else {
      // The mixer's window is longer than any queue: the card has given back what it was never given.
      goShallow()
      throw .underrun
    }
    handedOver = target
    if let silent = silentSince, silent > target { silentSince = nil }
    return got
  }

  private func goShallow() {
    guard case .deep = strategy else { return }
    adopt(.shallow(queue: Int(device.rate.frames(Seconds(0.04)).count)))
  }

  private func adopt(_ new: BufferStrategy) {
    if case .shallow = new, strategy != new {
      link.shallow.store(true, ordering: .releasing)
      report(.wentShallow)
    }
    strategy = new
  }

  /// Renders and writes up to `room` frames, as far as the decks' rings reach.
  private func fill(room: Int) throws(PCMFault) {
    var room = wholeQuanta(room)
    isShort = false
    while room > 0 {
      var count = min(room, wholeQuanta(isOffline ? scratchFrames : scratchFrames / 2))
      // A command is not kept waiting for frames that it would have rendered again.
      if case .deep = strategy, isQueueComfortable, link.hasCommands { break }
      if hasLimit { count = Int(min(Int64(count), max(0, limit - mixer.frame.count))) }
      guard count > 0 else { break }
      mixer.applyDue()
      let supply = mixer.supply()
      if supply < count {
        isShort = supply < room
        // What the worker has not decoded yet is waited for as long as the queue allows.
        if supply <= 0, isOffline || isQueueComfortable || (!isStarted && startsPutOff < 20) { break }
        count = min(count, max(supply, Mixer.quantum))
      }
      let rendered = mixer.render(count, into: scratch, stopsAtSilence: isOffline && !hasLimit)
      guard rendered > 0 else { break }
      guard try handOver(rendered) else { return }
      room -= rendered
    }
    reportLimit()
    if isOffline {
      heard = mixer.frame.count
      deliverEvents()
    }
  }

  /// So many frames from the present one, or fewer, that rendering ends with a quantum: parts of one cost as much
  /// as whole ones. Small numbers stay as they are, for they are what a short buffer has room for.
  private func wholeQuanta(_ frames: Int) -> Int {
    guard frames >= 4 * Mixer.quantum else { return frames }
    return frames - Int((mixer.frame.count + Int64(frames)) % Int64(Mixer.quantum))
  }

  private var isOffline: Bool { if case .offline = strategy { true } else { false } }

  /// Writes what was rendered. False if the device took less than it had promised: the rest is rendered again.
  private func handOver(_ rendered: Int) throws(PCMFault) -> Bool {
    var written = 0
    while written < rendered {
      let n = try device.write(scratch + written * mixer.frameBytes, frames: rendered - written)
      if n == 0 { return !mixer.restore(to: Frames(handedOver)) }
      written += n
      handedOver += Int64(n)
    }
    return true
  }

  private var isQueueComfortable: Bool {
    mixer.frame.count - heard > lowWater / 10
  }

  /// How long the queue lasts until it wants more, and how long until something is heard that is to be told.
  private func nextTurn() throws(PCMFault) -> Int64? {
    let queued = mixer.frame.count - heard
    var frames: Int64
    switch strategy {
    case .deep(let queue, _):
      frames = queued - min(lowWater, Int64(min(queue, queueLimit)) / 2)
    case .shallow(let queue): frames = queued - Int64(queue) * 3 / 4
    case .offline: return isShort ? 1_000_000 : 0
    }
    if hasLimit, mixer.frame.count >= limit {
      // Raising the limit wakes the loop; until then there is nothing to write.
      frames = queued + 1
    } else if isShort {
      // A ring that cannot give a full queue yet is looked at again soon.
      frames = min(max(queued - lowWater / 10, lowWater / 30), lowWater / 6)
    }
    if let event = mixer.nextEventFrame { frames = min(frames, event.count - heard + 1) }
    // Readers of the position are told when it ceases to move as it did, events or no.
    frames = min(frames, mixer.steadyUntil(from: Frames(heard)).count - heard + 1)
    if let silent = silentSince { frames = max(0, min(frames, silent + linger - heard)) }
    let perFrame = 1_000_000_000 / Double(device.rate.hertz)
    return max(200_000, Int64(Double(max(0, frames)) * perFrame))
  }

  // MARK: Faults

  private func recover(from fault: PCMFault) -> Int64? {
    let now = device.now()
    var played = heard
    link.counters.unasked.store(isStarted ? Int(clamping: now - heardAt) : 0, ordering: .relaxed)
    link.counters.queued.store(isStarted ? Int(handedOver - heard) : 0, ordering: .relaxed)
    if isStarted {
      // What the device had played by now, as far as the clock tells: it cannot be asked any more.
      let elapsed = Double(now - heardAt) * Double(device.rate.hertz) / 1e9
      played = max(heard, min(handedOver, heard + Int64(elapsed)))
    }
    // With a limit, all that was rendered has been told already: it stands.
    if !hasLimit { _ = mixer.restore(to: Frames(played)) }
    heard = mixer.frame.count
    handedOver = heard
    heardAt = now
    isStarted = false
    silentSince = nil
    faultsInARow += 1
    switch fault {
    case .underrun where faultsInARow < 8, .suspended where faultsInARow < 8:
      if case .underrun = fault, now - rewoundAt < 50_000_000 { goShallow() }
      _ = link.counters.underruns.wrappingAdd(1, ordering: .relaxed)
      report(.underrun(at: mixer.frame))
      _ = mixer.insert(
        CommandRequest(id: 0, pin: .now, command: .rampIn(device.rate.frames(Seconds(0.008)))))
      phase = .parked
    // A device that does nothing but fail is as good as gone.
    case .lost, .failed, .underrun, .suspended:
      faultsInARow = 0
      _ = link.counters.losses.wrappingAdd(1, ordering: .relaxed)
      _ = mixer.insert(CommandRequest(id: 0, pin: .now, command: .closeGate(.pause, ramp: .zero)))
      mixer.dropCues()
      mixer.settle()
      phase = .lost(retryAt: now + 100_000_000, delay: 100_000_000)
      link.parked.store(true, ordering: .releasing)
      report(.deviceLost(at: mixer.frame))
    }
    return 0
  }

  // MARK: Silence

  private func shouldPark() -> Bool {
    guard mixer.isQuiescent, !hasLimit else {
      silentSince = nil
      return false
    }
    if case .offline = strategy { return true }
    let since = silentSince ?? mixer.frame.count
    silentSince = since
    return heard >= since + linger
  }

  private func park() {
    device.stop()
    phase = .parked
    // Silence that was queued and not heard did not happen.
    silentSince = nil
    link.parked.store(true, ordering: .releasing)
    standStill()
  }

  // MARK: The control thread

  private func takeCommands() {
    // With a limit, or in a recording, what was decided has been told.
    if !hasLimit, !isOffline, link.hasCommands { mixer.reopenFrame() }
    while !mixer.isTimelineFull, let request = link.takeCommand() { _ = mixer.insert(request) }
  }

  /// Tells what has been heard: what lies on a frame when that frame has been, since until then it may be
  /// taken back. With a limit, at rest or in a recording, whatever is rendered stands: nothing will take it back.
  /// The player must know of it before it acts on anything else.
  private func deliverEvents() {
    let upTo = hasLimit || !isStarted || isOffline ? mixer.frame.count : heard - 1
    var isAny = false
    while link.reports.hasRoom(forMoreThan: 8), let event = mixer.takeEvent(heardUpTo: Frames(upTo)) {
      _ = link.reports.push(.mixer(event))
      isAny = true
    }
    if isAny { link.notifyControl() }
  }

  private func reportLimit() {
    let limit = limit
    guard hasLimit, mixer.frame.count >= limit, reportedLimit != limit else { return }
    if isOffline { heard = mixer.frame.count }
    deliverEvents()
    publish()
    reportedLimit = limit
    report(.limitReached(Frames(limit)))
  }

  private func report(_ report: AudioReport) {
    _ = link.reports.push(report)
    link.notifyControl()
  }

  private func publish() {
    let isRunning = if case .running = phase { true } else { false }
    var reading = PositionReading(
      positions: mixer.positions(at: Frames(heard)), time: heardAt, isRunning: isRunning)
    reading.handedOver = Frames(handedOver)
    reading.steadyUntil = mixer.steadyUntil(from: Frames(heard))
    link.publish(reading)
  }
}
