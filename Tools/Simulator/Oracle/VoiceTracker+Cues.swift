// Voice tracker: removes cues before tracking, and finds where a cue begins or ends. One thread.

/// Assumption that a cue begins or is stopped at a frame.
struct CueTurn {
  enum Kind {
    /// Begins at one of its frames. `entry` is the progress of the output's fade-in, if that has just begun;
    /// `isRoomMade` means that music was ducked before, during silence.
    case begins(Int, gain: Float, frame: Int, entry: Int?, isRoomMade: Bool)
    /// Stops with a ramp.
    case stops
  }

  /// Ramp to the end of a stopped cue: its progress at the turn, negative if it begins later, and its length, in
  /// frames.
  struct Ending {
    var age: Int
    let length: Int
  }

  let kind: Kind
  /// Index of the frame within the frames to explain.
  let place: Int
  /// Ramp of a cue that stops, or that begins and is stopped a few frames later.
  var ending: Ending?
}

extension VoiceTracker {
  /// Error bound of the right sample of music, relative to the left one: `blur` times the largest mark.
  var error: Float { ear.isIdle ? (1 + Signal.maxMark) * blur : ear.error }

  /// Processes one frame, which may contain a cue.
  mutating func hearFrame(_ left: Float, _ right: Float) {
    guard !ear.isIdle else { return hearMusic(left, right) }
    let (former, doubts) = (ear, doubt.count)
    let music = ear.strip(left, right, blur: blur)
    if case .silence = sound, music.left == 0, music.right == 0 {
      fallQuiet()
      return
    }
    hearMusic(music.left, music.right)
    // Frames deferred for a later explanation are processed again, so restore the state before them.
    if doubt.count > doubts {
      ear = former
      doubt[doubts] = Doubt(left: left, right: right, time: time)
    }
  }

  /// Assumptions about cues that may explain the frames.
  /// - Parameters:
  ///   - heard: Frames to explain.
  ///   - explained: How many of them were explained without a cue.
  func cueTurns(in heard: [Turning.Heard], after explained: Int) -> [CueTurn] {
    guard circumstances.hasCues else { return [] }
    var turns = circumstances.dueSounds.flatMap {
      beginnings(of: $0.cue, gain: $0.gain, in: heard, after: explained)
    }
    turns += beginningsBesideEntry(in: heard)
    guard time < circumstances.announcementStopsUntil else { return turns + beginningsBefore(explained) }
    if ear.current.map({ $0 >= CueSignal.names.count }) == true {
      // Try the latest frame first: otherwise the first frames of a stop could be mistaken for another track's. A
      // pair of independent voices explains more of them wrongly.
      for place in Self.places(explained).reversed() {
        turns += stops(at: place, endings(1...(3 + Self.confirmations)))
      }
      for place in Self.placesBefore(explained) { turns += stops(at: place, endings(1...1)) }
    }
    return turns + beginningsBefore(explained) + turns.flatMap(stoppedAtOnce)
  }

  /// Copies the expected cues from a later state, which were learned while the frames were heard.
  mutating func learnCues(from later: VoiceTracker) {
    time = max(time, later.time)
    circumstances.learnCues(from: later.circumstances)
  }

  /// Possible ramps of a stopped cue with these ages at the turn.
  private func endings(_ ages: ClosedRange<Int>) -> [CueTurn.Ending] {
    ages.flatMap { age in
      [rate / 20, circumstances.declick].map { CueTurn.Ending(age: age, length: $0) }
    }
  }

  private func stops(at place: Int, _ endings: [CueTurn.Ending]) -> [CueTurn] {
    endings.map { CueTurn(kind: .stops, place: place, ending: $0) }
  }

  /// Variants in which an announcement is stopped before its beginning was recognized.
  private func stoppedAtOnce(_ turn: CueTurn) -> [CueTurn] {
    guard case .begins(let cue, _, _, _, _) = turn.kind, cue >= CueSignal.names.count else { return [] }
    return endings(-Self.confirmations...3).map { CueTurn(kind: turn.kind, place: turn.place, ending: $0) }
  }

  /// Beginnings before the first unexplained frame: a pair of independent voices can explain some of the cue's first
  /// frames.
  private func beginningsBefore(_ explained: Int) -> [CueTurn] {
    // After silence, the first frames are mistaken for a pair of voices.
    let first = (0..<explained).dropFirst().dropLast(Self.confirmations).prefix(Self.confirmations)
    let places = Self.placesBefore(explained) + first
    return circumstances.dueSounds.flatMap { cue, gain in
      places.map { place in
        CueTurn(kind: .begins(cue, gain: gain, frame: 0, entry: nil, isRoomMade: false), place: place)
      }
    }
  }

  /// Indexes of the last explained frames, latest first.
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
    // Without music, the cue's own first sample reveals its frame.
    let bound = 1e-6 * abs(first.right) + blur + 1e-10
    func fits(_ frame: Int, _ entry: Int?, isRoomMade: Bool) -> CueTurn? {
      let turn = CueTurn(
        kind: .begins(cue, gain: gain, frame: frame, entry: entry, isRoomMade: isRoomMade), place: explained)
      return abs(ear.first(of: turn) - first.right) <= bound ? turn : nil
    }
    // Music that starts from silence during a cue is ducked already; during an announcement it is not.
    let rooms = cue < CueSignal.names.count ? [true, false] : [false]
    for frame in 0...2 {
      let turns = rooms.compactMap { fits(frame, nil, isRoomMade: $0) }
      if !turns.isEmpty { return turns }
    }
    guard circumstances.isEntryDue || first.time < circumstances.faultUntil else { return [] }
    // Frames queued when the card stopped may be lost; the next ones fade in.
    let skipped = min(max(circumstances.jump, 0), CueSignal.length(cue))
    for entry in 1..<max(2, circumstances.declick) {
      for frame in max(0, entry - 1)...(entry + skipped) {
        let turns = rooms.compactMap { fits(frame, entry, isRoomMade: $0) }
        if !turns.isEmpty { return turns }
      }
    }
    return []
  }

  /// Beginnings together with music that continues over the output's fade-in after a card failure; the first frame
  /// has zero gain.
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

  /// Forgets the present cue, after a card failure or when cues are unknown.
  mutating func forgetCues() { ear.forget() }
}
