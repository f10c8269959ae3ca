// Taking up what a checkpoint tells: the machine's state, the decks, and a fade on its very frame.
// Control thread only.

import PlaybackModel
import RealtimeAudio

/// A fade that comes back from a checkpoint and waits for its two decks.
struct RestoringFade {
  /// How it goes on once somebody has asked for it.
  struct Resume {
    var strategy: ResumeStrategy
    var timing: FadeTiming
    var ramp: Frames
  }

  var fade: Fade
  var index: Frames
  var resume: Resume?
}

extension Player {
  /// Takes up a state from before a restart, as `PlayerStateMachine.restore` explains. The queue has been
  /// restored before. `saved` gives the positions when the checkpoint was written.
  public func restore(_ state: PlayerState, saved: Moment) {
    let restored = PlayerStateMachine.restore(
      state, saved: saved, settings: machine.settings, isStrict: machine.isStrict)
    machine = restored.machine
    for effect in restored.effects { carryOut(effect) }
    if case .crossfadePaused(_, _, _, let snapshot, _) = machine.state {
      restoringFade = RestoringFade(fade: snapshot.fade, index: snapshot.progress.index)
      orderedFade = snapshot.fade
    }
    observer?.playerDidChange(self)
    drain()
  }

  /// Puts the fade where it was when both decks are there, behind a closed gate.
  func restoreFadeIfReady() {
    guard let restoring = restoringFade, self[currentDeck]?.stage == .cued,
      self[currentDeck.other]?.stage == .cued
    else { return }
    restoringFade = nil
    send(.closeGate(.pause, ramp: .zero))
    send(.restoreFade(from: currentDeck, to: currentDeck.other, restoring.fade, at: restoring.index))
    for deck in Deck.allCases { self[deck]?.stage = .started }
    if let resume = restoring.resume { resumeFade(resume.strategy, resume.timing, ramp: resume.ramp) }
  }

  /// Lets a paused fade go on; one that is being restored, as soon as it can.
  func resumeFade(_ strategy: ResumeStrategy, _ timing: FadeTiming, ramp: Frames) {
    guard restoringFade == nil else {
      restoringFade?.resume = RestoringFade.Resume(strategy: strategy, timing: timing, ramp: ramp)
      return
    }
    if strategy == .quickFinish { send(.quickFinish(over: timing.duration)) }
    wakeDecoders()
    send(.openGate(ramp: ramp))
  }
}
