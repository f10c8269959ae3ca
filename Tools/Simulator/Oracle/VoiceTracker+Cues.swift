// The tracker behind the ear for cues: what is heard without them, and where one has begun. One thread.

/// A cue that is taken to begin with one of some frames.
struct CueBeginning {
  let cue: Int
  let gain: Float
  /// The place of the frame among what was heard.
  let place: Int
}

extension VoiceTracker {
  /// By how much a sample of music may be wrong.
  var error: Float { ear.error + blur }

  /// Hears one frame, of which a cue may be a part.
  mutating func hearFrame(_ left: Float, _ right: Float) {
    guard !ear.isIdle else { return hearMusic(left, right) }
    let (former, doubts) = (ear, doubt.count)
    let music = ear.strip(left, right, blur: blur)
    if case .silence = sound, music.left == 0, music.right == 0 {
      isLost = false
      return
    }
    hearMusic(music.left, music.right)
    // What has to be explained later is heard once more then.
    if doubt.count > doubts {
      ear = former
      doubt[doubts] = Doubt(left: left, right: right, time: time)
    }
  }

  /// The ways in which a cue may have begun that some frames cannot be explained without, of which so many can.
  func cueBeginnings(after explained: Int) -> [CueBeginning] {
    circumstances.dueCues.flatMap { cue in
      circumstances.gains(of: cue).flatMap { gain in
        Set([explained, 0]).sorted(by: >).map { CueBeginning(cue: cue, gain: gain, place: $0) }
      }
    }
  }

  /// The card has stopped, or nobody knows what cues there are.
  mutating func forgetCues() { ear.forget() }
}
