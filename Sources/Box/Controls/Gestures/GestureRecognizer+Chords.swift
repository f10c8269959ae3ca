// Chord detection: decides whether a pressed button acts alone or as part of a chord. Pure; control thread.

extension GestureRecognizer {
  /// Records that a button went down. `settleChords` assigns it to a chord or to a gesture of its button.
  mutating func goDown(_ index: Int, _ time: UInt64) {
    buttons[index].phase = .waiting(since: time)
    buttons[index].follower.touch()
  }

  /// Handles the release of a button; ignored if the button is up.
  mutating func goUp(_ index: Int, _ time: UInt64, isGuess: Bool, into gestures: inout [Recognized]) {
    if case .waiting = buttons[index].phase { decide(index, time, into: &gestures) }
    switch buttons[index].phase {
    case .up, .waiting: return
    case .single: buttons[index].follower.up(time, isGuess: isGuess, into: &gestures)
    case .chord(let chord):
      chords[chord].follower.up(time, isGuess: isGuess, into: &gestures)
      leave(chord)
    case .left: break
    }
    buttons[index].phase = .up
  }

  /// Ends a chord whose buttons may still be down.
  mutating func leave(_ chord: Int) {
    for member in chords[chord].buttons { buttons[member].phase = .left }
  }

  /// Ends a button's wait: begins the largest complete chord, or a press of the button alone.
  mutating func decide(_ index: Int, _ now: UInt64, into gestures: inout [Recognized]) {
    if let chord = buttons[index].chords.first(where: { isComplete($0) }) {
      beginChord(chord, now, into: &gestures)
    } else if let since = buttons[index].waitingSince {
      buttons[index].phase = .single
      buttons[index].follower.down(began: since, now: now, into: &gestures)
    }
  }

  /// Begins chords that cannot grow any more, and presses for which no chord is possible any more.
  mutating func settleChords(_ now: UInt64, into gestures: inout [Recognized]) {
    while let chord = chords.indices.first(where: { isComplete($0) && !isPossible(biggerThan: $0, now) }) {
      beginChord(chord, now, into: &gestures)
    }
    for index in buttons.indices where buttons[index].waitingSince != nil {
      if !buttons[index].chords.contains(where: { isPossible($0, now) }) {
        decide(index, now, into: &gestures)
      }
    }
  }

  /// The earliest time at which a waiting button or a complete chord has to be decided.
  var chordDeadline: UInt64? {
    var deadline: UInt64?
    for index in buttons.indices where buttons[index].waitingSince != nil {
      deadline = earlier(deadline, latestEnd(of: buttons[index].chords))
    }
    for chord in chords.indices where isComplete(chord) {
      deadline = earlier(deadline, latestEnd(of: chords.indices.filter { isBigger($0, than: chord) }))
    }
    return deadline
  }

  private mutating func beginChord(_ chord: Int, _ now: UInt64, into gestures: inout [Recognized]) {
    var began: UInt64 = 0
    for member in chords[chord].buttons {
      began = max(began, buttons[member].waitingSince ?? 0)
      buttons[member].follower.flush(now, into: &gestures)
      buttons[member].phase = .chord(chord)
    }
    chords[chord].follower.down(began: began, now: now, into: &gestures)
  }

  private func latestEnd(of candidates: [Int]) -> UInt64? {
    var latest: UInt64?
    for chord in candidates {
      guard let end = end(of: chord) else { continue }
      latest = max(latest ?? 0, end)
    }
    return latest
  }

  /// The time until which a chord can still be completed; nil if none of its buttons is waiting, or if one is
  /// down for another gesture.
  private func end(of chord: Int) -> UInt64? {
    var first: UInt64?
    for member in chords[chord].buttons {
      switch buttons[member].phase {
      case .up: break
      case .waiting(let since): first = min(first ?? since, since)
      case .single, .chord, .left: return nil
      }
    }
    return first?.advanced(chords[chord].follower.timing.chord)
  }

  private func isPossible(_ chord: Int, _ now: UInt64) -> Bool {
    guard let end = end(of: chord) else { return false }
    return now < end
  }

  private func isPossible(biggerThan chord: Int, _ now: UInt64) -> Bool {
    chords.indices.contains { isBigger($0, than: chord) && isPossible($0, now) }
  }

  private func isBigger(_ bigger: Int, than chord: Int) -> Bool {
    chords[bigger].buttons.count > chords[chord].buttons.count
      && chords[chord].buttons.allSatisfy { chords[bigger].buttons.contains($0) }
  }

  /// Whether all buttons of a chord are waiting and went down within its time.
  private func isComplete(_ chord: Int) -> Bool {
    var (first, last) = (UInt64.max, UInt64.min)
    for member in chords[chord].buttons {
      guard let since = buttons[member].waitingSince else { return false }
      first = min(first, since)
      last = max(last, since)
    }
    return last - first < chords[chord].follower.timing.chord
  }
}
