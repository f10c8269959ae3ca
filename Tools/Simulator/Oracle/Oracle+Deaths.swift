// What becomes of tracks whose decoders die or whose files end early. One thread.

import PlaybackModel

/// A track that the subject says is not listened to any more.
struct LeftTrack: Equatable {
  /// Counts all of them in a run.
  let number: Int
  let track: Int
  let position: Int
  /// Whether it is said to have been heard to its end.
  let isOver: Bool
}

extension Oracle {
  func judgeDeaths(_ claims: Claims) {
    for left in claims.beside.left where left.number > judgedLeft {
      judgedLeft = left.number
      if left.isOver { judgeOver(left) }
    }
    judgeFadeLoss(claims.state)
  }

  /// A track is over behind its last frame, and nowhere else.
  private func judgeOver(_ left: LeftTrack) {
    let plan = world.tracks[left.track]
    let voices = tracker.voices.filter { $0.track == left.track && $0.heardAt > 0 }
    guard plan.tellsLength, tracker.grip == .firm, !voices.isEmpty, voices.allSatisfy(\.isSane) else {
      return
    }
    let last = (voices.map(\.next).max() ?? 0) + tracker.doubt.count
    // What is missing for less than half a second may be a length that is stated wrongly.
    guard last + fadeLength(from: left.track) + world.rate / 2 + world.rate / 10 < plan.length else { return }
    fail(
      .over, expected: "track \(left.track) left at \(last) of \(plan.length)",
      found: "over, at \(left.position)")
  }

  /// Frames that a fade from a track still has to play of it: a fade at the track's end makes it over when it begins.
  private func fadeLength(from track: Int) -> Int {
    let fades = tracker.circumstances.fades.filter { $0.from == track }.map { Int($0.fade.length.count) }
    return fades.max() ?? 0
  }

  /// Where nothing more comes of the incoming track of a fade, the outgoing one gets its level back within 50 ms.
  private func judgeFadeLoss(_ state: PlayerState) {
    var isLost = false
    var name = ""
    // A track that fades into itself has two voices of one name.
    if case .crossfading(let from, let to, _, _, _) = state, number(from) != number(to),
      now < lastFrame + 40_000_000,
      now > max(audioStalledUntil, controlStalledUntil) + reaction + 300_000_000, tracker.grip == .firm
    {
      name = "track \(number(to) ?? -1)"
      isLost = tracker.voices.contains { voice in
        voice.track == number(to) && !voice.isGone && !voice.isLeft && voice.isSane && voice.heardAt > 0
          && decoders?.isSpent(voice.id, at: voice.next) == true
      }
    }
    watch(
      .fadeLost, isWrong: isLost, for: 50_000_000 + reaction, expected: "the outgoing track alone",
      found: "a fade into \(name), of which nothing comes")
  }
}
