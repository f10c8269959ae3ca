// The deck of live sources: plays one at a time while the music is held. Independent of the plan for decks A and B.
// Control thread; never blocks.

import AudioRing
import PlaybackModel
import RealtimeAudio

/// Has the mixer play the sound of a live source.
final class LiveInputDeck {
  /// Called with the source's name and what happened to its sound.
  var onOutcome: (String, LiveInputOutcome) -> Void = { _, _ in }

  private enum Stage {
    case empty
    /// Waits until the mixer has released the previous ring.
    case waiting(LiveSound)
    /// The ring is attached to the mixer under this number.
    case attached(LiveSound, id: UInt32)
  }

  private var stage = Stage.empty
  private var rings = LentRings<LiveSound>()
  /// Whether the music must be held, and whether the state machine has been notified.
  private var hold = (isWanted: false, isKnown: false)
  private let sender: CommandSender
  private let link: AudioLink
  private let rate: SampleRate

  init(_ sender: CommandSender, _ link: AudioLink, rate: SampleRate) {
    self.sender = sender
    self.link = link
    self.rate = rate
  }

  /// The sound that is playing or about to play; nil for none.
  var sound: LiveSound? {
    switch stage {
    case .empty: nil
    case .waiting(let sound), .attached(let sound, _): sound
    }
  }

  /// Removes the callbacks. The audio thread must have ended before.
  func end() {
    stage = .empty
    rings = LentRings()
    onOutcome = { _, _ in }
  }

  // MARK: Requests

  /// Plays a source's sound, replacing any other source.
  func host(_ sound: LiveSound) {
    finish(.displaced, ramp: Self.shortRamp)
    stage = .waiting(sound)
    hold.isWanted = true
    work()
  }

  /// Ends the playing sound with a ramp.
  func finish(_ outcome: LiveInputOutcome) { finish(outcome, ramp: Self.shortRamp) }

  /// Ends the sound because the output was lost. The mixer has already dropped it.
  func noteLoss() { finish(.lost, ramp: .zero) }

  /// Whether a handled event requests different sound, so that the live source must end.
  func isEnded(by event: PlayerEvent, in state: PlayerState) -> Bool {
    guard hold.isKnown, sound != nil else { return false }
    switch event {
    case .play, .pause, .toggle, .stop, .standby, .interruptionBegan, .sleepTimerFired: return true
    default: return state.isActive
    }
  }

  /// The event that holds or resumes the music for a live source; nil if nothing has changed. Each change is returned
  /// once.
  func takeHold() -> PlayerEvent? {
    guard hold.isWanted != hold.isKnown else { return nil }
    hold.isKnown = hold.isWanted
    return hold.isWanted ? .liveInputBegan : .liveInputEnded
  }

  // MARK: Events

  /// Processes a mixer report about the sound with this number.
  func take(_ id: UInt32, _ news: BesideNews) {
    if case .released = news, let sound = rings.takeBack(id) {
      // Frees the ring for the writer: its contents will not be played.
      sound.receiver.ring.retain(from: sound.receiver.ring.writtenIndex)
    }
    if case .attached(let sound, id) = stage {
      switch news {
      case .began: onOutcome(sound.name, .began)
      // An underrun does not end the sound; the source reports its end itself.
      case .starved, .refilled: break
      case .ended: rest(sound, .ended)
      case .corrupt: rest(sound, .broken)
      // The mixer dropped it together with its output.
      case .released: rest(sound, .lost)
      }
    }
    work()
  }

  private static var shortRamp: Seconds { Seconds(0.05) }

  private func finish(_ outcome: LiveInputOutcome, ramp: Seconds) {
    guard let sound else { return }
    if case .attached(_, let id) = stage { sender.send(.endLiveInput(id, ramp: rate.frames(ramp))) }
    rest(sound, outcome)
  }

  private func rest(_ sound: LiveSound, _ outcome: LiveInputOutcome) {
    stage = .empty
    hold.isWanted = false
    onOutcome(sound.name, outcome)
  }

  /// Attaches the waiting sound once the mixer has released the previous ring.
  private func work() {
    guard case .waiting(let sound) = stage, rings.isEmpty else { return }
    let id = rings.lend(sound)
    stage = .attached(sound, id: id)
    let ring = sound.receiver.ring
    // The start index is closer to the writer than `delay`, because the source keeps writing until the command is
    // heard.
    let distance = UInt64(max(0, sound.delay.count - lag))
    let written = ring.writtenIndex
    let index = max(sound.first, written > distance ? written - distance : 0)
    sender.send(
      .host(id, ring, index: index, refill: sound.delay, ramp: rate.frames(Seconds(0.3))))
  }

  /// Frames between the one on which a command takes effect and the one being heard.
  private var lag: Int64 {
    let reading = link.reading()
    guard link.isShallow, reading.isRunning else { return rate.frames(Seconds(0.015)).count }
    return max(0, reading.handedOver.count - reading.positions.frame.count)
  }
}
