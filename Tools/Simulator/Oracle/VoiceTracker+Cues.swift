// The tracker behind the ear for cues: what is heard without them, and where one has begun. One thread.

/// A cue or an announcement that is taken to begin, or to be stopped, with one of some frames.
struct CueTurn {
  enum Kind {
    /// From a frame of it on, `entry` frames into the output's own ramp where that has just begun anew; the room for it made
    /// before where nothing is heard.
    case begins(Int, gain: Float, frame: Int, entry: Int?, isRoomMade: Bool)
    /// Over a ramp.
    case stops
  }

  /// The ramp to the end of what is stopped: how far it is on that frame, less than nothing where it begins later, and how long.
  struct Ending {
    var age: Int
    let length: Int
  }

  let kind: Kind
  /// The place of the frame among what was heard.
  let place: Int
  /// Of what is stopped, or begins and is stopped a few frames later.
  var ending: Ending?
}

extension VoiceTracker {
  /// By how much the right sample of music may be wrong, judged by the left one: what is wrong there is so by the largest mark.
  var error: Float { ear.isIdle ? (1 + Signal.maxMark) * blur : ear.error }

  /// Hears one frame, of which a cue may be a part.
  mutating func hearFrame(_ left: Float, _ right: Float) {
    guard !ear.isIdle else { return hearMusic(left, right) }
    let (former, doubts) = (ear, doubt.count)
    let music = ear.strip(left, right, blur: blur)
    if case .silence = sound, music.left == 0, music.right == 0 {
      fallQuiet()
      return
    }
    hearMusic(music.left, music.right)
    // What has to be explained later is heard once more then.
    if doubt.count > doubts {
      ear = former
      doubt[doubts] = Doubt(left: left, right: right, time: time)
    }
  }

  /// The ways in which a cue may have begun or ended that some frames cannot be explained without, of which so many can.
  func cueTurns(in heard: [Turning.Heard], after explained: Int) -> [CueTurn] {
    guard circumstances.hasCues else { return [] }
    var turns = circumstances.dueSounds.flatMap {
      beginnings(of: $0.cue, gain: $0.gain, in: heard, after: explained)
    }
    turns += beginningsBesideEntry(in: heard)
    guard time < circumstances.announcementStopsUntil else { return turns + beginningsBefore(explained) }
    if ear.current.map({ $0 >= CueSignal.names.count }) == true {
      // What explains all of it comes first: else the first frames of a stop may pass for some of another track. Two that each move
      // on their own take more of them for theirs.
      for place in Self.places(explained).reversed() {
        turns += stops(at: place, endings(1...(3 + Self.confirmations)))
      }
      for place in Self.placesBefore(explained) { turns += stops(at: place, endings(1...1)) }
    }
    return turns + beginningsBefore(explained) + turns.flatMap(stoppedAtOnce)
  }

  /// Which cues may begin or end became known only while what is explained anew was heard.
  mutating func learnCues(from later: VoiceTracker) {
    time = max(time, later.time)
    circumstances.learnCues(from: later.circumstances)
  }

  /// The ramps on which what is stopped may be, so far on the frame that is looked at.
  private func endings(_ ages: ClosedRange<Int>) -> [CueTurn.Ending] {
    ages.flatMap { age in
      [rate / 20, circumstances.declick].map { CueTurn.Ending(age: age, length: $0) }
    }
  }

  private func stops(at place: Int, _ endings: [CueTurn.Ending]) -> [CueTurn] {
    endings.map { CueTurn(kind: .stops, place: place, ending: $0) }
  }

  /// An announcement that is stopped before so much of it was heard that its beginning is known.
  private func stoppedAtOnce(_ turn: CueTurn) -> [CueTurn] {
    guard case .begins(let cue, _, _, _, _) = turn.kind, cue >= CueSignal.names.count else { return [] }
    return endings(-Self.confirmations...3).map { CueTurn(kind: turn.kind, place: turn.place, ending: $0) }
  }

  /// Two voices that each move on their own take some of its first frames for theirs.
  private func beginningsBefore(_ explained: Int) -> [CueTurn] {
    // Of what was silent before, the first frames are taken for those of two.
    let first = (0..<explained).dropFirst().dropLast(Self.confirmations).prefix(Self.confirmations)
    let places = Self.placesBefore(explained) + first
    return circumstances.dueSounds.flatMap { cue, gain in
      places.map { place in
        CueTurn(kind: .begins(cue, gain: gain, frame: 0, entry: nil, isRoomMade: false), place: place)
      }
    }
  }

  /// The last ones that were explained, the latest first.
  private static func placesBefore(_ explained: Int) -> [Int] {
    (0..<explained).dropFirst().suffix(confirmations).reversed()
  }

  private static func places(_ explained: Int) -> [Int] { explained > 0 ? [explained, 0] : [0] }

  private func beginnings(
    of cue: Int, gain: Float, in heard: [Turning.Heard], after explained: Int
  ) -> [CueTurn] {
    guard case .silence = sound, ear.current == nil, explained < heard.count,
      case .frame(let first) = heard[explained], abs(first.left) <= blur
    else {
      return Self.places(explained).map {
        CueTurn(kind: .begins(cue, gain: gain, frame: 0, entry: nil, isRoomMade: false), place: $0)
      }
    }
    // Alone, its own first sample shows where it is.
    let bound = 1e-6 * abs(first.right) + blur + 1e-10
    func fits(_ frame: Int, _ entry: Int?, isRoomMade: Bool) -> CueTurn? {
      let turn = CueTurn(
        kind: .begins(cue, gain: gain, frame: frame, entry: entry, isRoomMade: isRoomMade), place: explained)
      return abs(ear.first(of: turn) - first.right) <= bound ? turn : nil
    }
    // What begins to be played beside a cue out of silence finds the room made; beside an announcement it does not.
    let rooms = cue < CueSignal.names.count ? [true, false] : [false]
    for frame in 0...2 {
      let turns = rooms.compactMap { fits(frame, nil, isRoomMade: $0) }
      if !turns.isEmpty { return turns }
    }
    guard circumstances.isEntryDue || first.time < circumstances.faultUntil else { return [] }
    // What was to be heard when the card stopped is not heard again; what is, comes over a ramp.
    let skipped = min(max(circumstances.jump, 0), CueSignal.length(cue))
    for entry in 1..<max(2, circumstances.declick) {
      for frame in max(0, entry - 1)...(entry + skipped) {
        let turns = rooms.compactMap { fits(frame, entry, isRoomMade: $0) }
        if !turns.isEmpty { return turns }
      }
    }
    return []
  }

  /// With music that goes on over the output's own ramp after the card had stopped, whose first frame is at no gain.
  private func beginningsBesideEntry(in heard: [Turning.Heard]) -> [CueTurn] {
    guard case .silence = sound, ear.current == nil, case .frame(let first)? = heard.first,
      circumstances.isEntryDue || first.time < circumstances.faultUntil
    else { return [] }
    var turns: [CueTurn] = []
    for (cue, gain) in circumstances.dueSounds {
      for entry in 1...3 {
        for frame in 0...(entry + 1) {
          turns.append(
            CueTurn(kind: .begins(cue, gain: gain, frame: frame, entry: entry, isRoomMade: false), place: 0))
        }
      }
    }
    return turns
  }

  /// The card has stopped, or nobody knows what cues there are.
  mutating func forgetCues() { ear.forget() }
}
