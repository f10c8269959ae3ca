// The deck of live sources: one sounds at a time, while music stands still. The plan of decks A and B knows nothing of it. Control
// thread; never waits.

import AudioRing
import PlaybackModel
import RealtimeAudio

/// Has the mixer play what comes of a live source.
final class LiveInputDeck {
  /// Called with what becomes of a source's sound, by the source's name.
  var onOutcome: (String, LiveInputOutcome) -> Void = { _, _ in }

  private enum Stage {
    case empty
    /// The mixer has not let go of the one before.
    case waiting(LiveSound)
    /// The mixer has its ring under this number.
    case attached(LiveSound, id: UInt32)
  }

  private var stage = Stage.empty
  private var rings = LentRings<LiveSound>()
  /// Whether music has to stand still, and whether the state machine knows.
  private var hold = (isWanted: false, isKnown: false)
  private let sender: CommandSender
  private let link: AudioLink
  private let rate: SampleRate

  init(_ sender: CommandSender, _ link: AudioLink, rate: SampleRate) {
    self.sender = sender
    self.link = link
    self.rate = rate
  }

  /// What sounds, or is about to.
  var sound: LiveSound? {
    switch stage {
    case .empty: nil
    case .waiting(let sound), .attached(let sound, _): sound
    }
  }

  /// Calls nothing any more. The audio thread has ended before.
  func end() {
    stage = .empty
    rings = LentRings()
    onOutcome = { _, _ in }
  }

  // MARK: Requests

  /// Has a source sound, in the place of another one.
  func host(_ sound: LiveSound) {
    finish(.displaced, ramp: Self.shortRamp)
    stage = .waiting(sound)
    hold.isWanted = true
    work()
  }

  /// Ends what sounds.
  func finish(_ outcome: LiveInputOutcome) { finish(outcome, ramp: Self.shortRamp) }

  /// The output is gone. The mixer has dropped what it had.
  func noteLoss() { finish(.lost, ramp: .zero) }

  /// Whether an event that was handled wants something else to be heard than what sounds.
  func isEnded(by event: PlayerEvent, in state: PlayerState) -> Bool {
    guard hold.isKnown, sound != nil else { return false }
    switch event {
    case .play, .pause, .toggle, .stop, .standby, .interruptionBegan, .sleepTimerFired: return true
    default: return state.isActive
    }
  }

  /// The event for the state machine where music has to be held from now on, or no more.
  func takeHold() -> PlayerEvent? {
    guard hold.isWanted != hold.isKnown else { return nil }
    hold.isKnown = hold.isWanted
    return hold.isWanted ? .liveInputBegan : .liveInputEnded
  }

  // MARK: What happens

  /// Takes what the mixer has reported of the sound with this number.
  func take(_ id: UInt32, _ news: BesideNews) {
    if case .released = news, let sound = rings.takeBack(id) {
      // What lies in the ring is of no use to anybody.
      sound.receiver.ring.retain(from: sound.receiver.ring.writtenIndex)
    }
    if case .attached(let sound, id) = stage {
      switch news {
      case .began: onOutcome(sound.name, .began)
      // The source says when its sound is over; until then it may go on.
      case .starved, .refilled: break
      case .ended: rest(sound, .ended)
      case .corrupt: rest(sound, .broken)
      // It was dropped with the output that it was on.
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

  /// Gives the mixer what waits, as soon as it has let go of what it had.
  private func work() {
    guard case .waiting(let sound) = stage, rings.isEmpty else { return }
    let id = rings.lend(sound)
    stage = .attached(sound, id: id)
    let ring = sound.receiver.ring
    // Nearer to the writer than it will be heard, by what goes on being written until then.
    let distance = UInt64(max(0, sound.delay.count - lag))
    let written = ring.writtenIndex
    let index = max(sound.first, written > distance ? written - distance : 0)
    sender.send(
      .host(id, ring, index: index, refill: sound.delay, ramp: rate.frames(Seconds(0.3))))
  }

  /// Frames from the one that a command takes effect on back to the one that is heard.
  private var lag: Int64 {
    let reading = link.reading()
    guard link.isShallow, reading.isRunning else { return rate.frames(Seconds(0.015)).count }
    return max(0, reading.handedOver.count - reading.positions.frame.count)
  }
}
