// What is heard at a moment: positions, progress, and whether more may be rendered. Control thread only.

import PlaybackModel
import Platform
import RealtimeAudio

extension Player {
  /// The position of the current track.
  public var position: Frames { moment().current }

  /// Lets the state show how far a running fade has come; for whoever looks at it.
  public func refresh() {
    if let progress = moment().fade { machine.observe(progress: progress) }
  }

  /// The frame of the timeline that is being heard, or of the event that is being handled.
  public var timelineFrame: Frames { handledFrame ?? link.reading().positions.frame }

  /// How far a running fade has come.
  public var fadeProgress: FadeProgress? { moment().fade }

  /// Whether all work that decides about the next frames is done: a recording may be rendered on.
  public var isSettled: Bool {
    for slot in slots {
      if let slot, slot.awaitsDecoder { return false }
    }
    return inbox.isEmpty
  }

  /// Where everything stands, by the audio thread's last word and the clock.
  public func moment() -> Moment {
    let reading = link.reading()
    var positions = reading.positions
    let now = events.now
    if reading.isRunning, !isUnpaced, isMoving, now > reading.time {
      // Between two turns of the audio thread the sound moves on all the same.
      let passed = rate.frames(Seconds(Double(now - reading.time) / 1e9))
      positions.a &+= UInt64(bitPattern: passed.count)
      positions.b &+= UInt64(bitPattern: passed.count)
      if let fade = positions.fade {
        positions.fade = FadeProgress(index: fade.index + passed, length: fade.length)
      }
    }
    return moment(at: positions, time: now)
  }

  /// When a frame of the timeline was or will be heard; nil while nothing moves.
  func timeHeard(_ frame: Frames) -> UInt64? {
    let reading = link.reading()
    guard reading.isRunning, !isUnpaced, isMoving else { return nil }
    let distance = rate.seconds(frame - reading.positions.frame).value * 1e9
    return UInt64(max(0, Double(reading.time) + distance))
  }

  private var isMoving: Bool {
    switch machine.state {
    case .playing, .preparingCrossfade, .crossfading, .fadingOut: true
    default: false
    }
  }

  /// Where everything stood at positions that the mixer reported.
  func moment(at positions: MixerPositions, time: UInt64) -> Moment {
    Moment(
      time: time, current: position(of: currentDeck, at: positions) ?? .zero,
      next: position(of: currentDeck.other, at: positions), fade: positions.fade, deck: currentDeck)
  }

  private func position(of deck: Deck, at positions: MixerPositions) -> Frames? {
    guard var slot = self[deck] else { return nil }
    switch slot.stage {
    case .opening, .waitingForDeck: return slot.originPosition
    case .stoppingForSeek(let target), .seeking(let target): return target
    case .cued, .started: break
    }
    var position = max(slot.shown, slot.position(of: positions.index(deck)))
    if let length = slot.length { position = min(position, length) }
    slot.shown = position
    self[deck] = slot
    return position
  }
}
