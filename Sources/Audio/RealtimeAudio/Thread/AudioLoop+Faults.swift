// What the loop does when the device fails, goes or does not take frames back. Audio thread.

import PlaybackModel
import Synchronization

/// What a device has done wrong.
struct FaultHistory {
  /// Faults since it last played anything.
  var inARow = 0
  /// How often it was not awake yet when it was to go on.
  var resumptionsPutOff = 0
  /// Whether it was found not to take frames back as it should: that stays so.
  var isUnfitForRewinding = false

  /// It plays.
  mutating func noteProgress() {
    inARow = 0
    resumptionsPutOff = 0
  }
}

extension AudioLoop {
  /// Restores what was not heard, and parks the device or gives it up for lost; one that slept goes on if it can.
  func recover(from fault: PCMFault) -> Wait {
    let now = device.now()
    if fault == .suspended, let wait = resume(at: now) { return wait }
    let isStarted = progress.isStarted
    link.counters.unasked.store(isStarted ? Int(clamping: now - progress.heardAt) : 0, ordering: .relaxed)
    link.counters.queued.store(
      isStarted ? Int(progress.handedOver - progress.taken) : 0, ordering: .relaxed)
    // With a limit, all that was rendered has been reported already: it stands.
    if !hasLimit { _ = mixer.restore(to: Frames(progress.played(by: now, rate: device.rate))) }
    progress.rest(at: mixer.frame.count, time: now)
    silentSince = nil
    faults.inARow += 1
    switch fault {
    case .underrun where faults.inARow < 8, .suspended where faults.inARow < 8:
      if case .underrun = fault, now - answered.rewoundAt < 50_000_000 { goShallow() }
      _ = link.counters.underruns.wrappingAdd(1, ordering: .relaxed)
      report(.underrun(at: mixer.frame))
      _ = mixer.insert(
        CommandRequest(id: 0, pin: .now, command: .rampIn(device.rate.frames(Seconds(0.008)))))
      phase = .parked
    // A device that does nothing but fail is as good as gone.
    case .lost, .failed, .underrun, .suspended:
      faults.inARow = 0
      _ = link.counters.losses.wrappingAdd(1, ordering: .relaxed)
      _ = mixer.insert(CommandRequest(id: 0, pin: .now, command: .closeGate(.pause, ramp: .zero)))
      mixer.dropAnnouncements()
      mixer.dropLiveInput()
      mixer.silenceFilters()
      mixer.settle()
      phase = .lost(retryAt: now + 100_000_000, delay: 100_000_000)
      link.parked.store(true, ordering: .releasing)
      report(.deviceLost(at: mixer.frame))
    }
    return .nanoseconds(0)
  }

  /// Has the device go on with what is queued; nil where it cannot, or takes too long to wake up.
  private func resume(at now: UInt64) -> Wait? {
    guard case .running = phase else { return nil }
    switch device.resume() {
    case .playing:
      progress.goOn(at: now)
      return .nanoseconds(0)
    case .later:
      faults.resumptionsPutOff += 1
      return faults.resumptionsPutOff < 500 ? .nanoseconds(10_000_000) : nil
    case .refused: return nil
    }
  }

  /// Tries to get the device back, where that is due.
  func lostTurn(retryAt: UInt64, delay: UInt64) -> Wait {
    standStill()
    if mixer.isAnnouncing || mixer.hasLiveInput {
      mixer.dropAnnouncements()
      mixer.dropLiveInput()
      mixer.settle()
    }
    let now = device.now()
    guard now >= retryAt || device.announcesReturn else { return .nanoseconds(Int64(retryAt - now)) }
    guard device.reopen() else {
      if device.announcesReturn { return .command }
      let next = min(delay * 2, 500_000_000)
      phase = .lost(retryAt: now + next, delay: next)
      return .nanoseconds(Int64(next))
    }
    adopt(deviceStrategy)
    phase = .parked
    report(.deviceRestored)
    return .nanoseconds(0)
  }

  /// Keeps a short queue from now on: the device does not take frames back as it should.
  func goShallow() {
    guard case .deep = strategy else { return }
    faults.isUnfitForRewinding = true
    device.forgoRewinding()
    adopt(deviceStrategy)
  }

  /// How the device wants to be fed, and how it will be: what was found out about it holds as long as it is this device.
  var deviceStrategy: BufferStrategy {
    let wanted = device.strategy
    guard faults.isUnfitForRewinding, case .deep = wanted else { return wanted }
    return .shallow(queue: Int(device.rate.frames(Seconds(0.04)).count))
  }

  /// Queues as the device wants it.
  func adopt(_ new: BufferStrategy) {
    if case .shallow = new, case .deep = strategy {
      link.shallow.store(true, ordering: .releasing)
      report(.wentShallow)
    }
    strategy = new
  }
}
