// Fault handling of the audio loop: underruns, lost devices and failed rewinds. Audio thread.

import PlaybackModel
import Synchronization

/// Faults of the present device.
struct FaultHistory {
  /// Consecutive faults without playback between them.
  var inARow = 0
  /// Number of postponed attempts to resume after a suspend.
  var resumptionsPutOff = 0
  /// Whether the device failed to rewind; permanent for this device.
  var isUnfitForRewinding = false

  /// Resets the counters because the device is playing.
  mutating func noteProgress() {
    inARow = 0
    resumptionsPutOff = 0
  }
}

extension AudioLoop {
  /// Restores the mixer to the last played frame, then restarts the device or marks it as lost. A suspended device is resumed
  /// if possible.
  func recover(from fault: PCMFault) -> Wait {
    let now = device.now()
    if fault == .suspended, let wait = resume(at: now) { return wait }
    let isStarted = progress.isStarted
    link.counters.unasked.store(isStarted ? Int(clamping: now - progress.heardAt) : 0, ordering: .relaxed)
    link.counters.queued.store(
      isStarted ? Int(progress.handedOver - progress.taken) : 0, ordering: .relaxed)
    // With a limit, everything rendered is already reported and final.
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
    // A device that fails repeatedly is treated as lost.
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

  /// Resumes a suspended device with its queued frames; nil if that fails or takes too long.
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

  /// Tries to reopen a lost device when the next attempt is due.
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

  /// Switches permanently to a short queue, because the device fails to rewind.
  func goShallow() {
    guard case .deep = strategy else { return }
    faults.isUnfitForRewinding = true
    device.forgoRewinding()
    adopt(deviceStrategy)
  }

  /// The device's preferred strategy, overridden by a short queue if it has failed to rewind.
  var deviceStrategy: BufferStrategy {
    let wanted = device.strategy
    guard faults.isUnfitForRewinding, case .deep = wanted else { return wanted }
    return .shallow(queue: Int(device.rate.frames(Seconds(0.04)).count))
  }

  /// Changes the strategy, and reports a change from deep to shallow.
  func adopt(_ new: BufferStrategy) {
    if case .shallow = new, case .deep = strategy {
      link.shallow.store(true, ordering: .releasing)
      report(.wentShallow)
    }
    strategy = new
  }
}
