// Oracle for tracks whose decoder dies or whose file ends early. One thread.

import PlaybackModel

/// Track that the player reported as left.
struct LeftTrack: Equatable {
  /// Running number within the simulation.
  let number: Int
  let track: Int
  let position: Int
  /// Whether it was reported as played to its end.
  let isOver: Bool
}

extension Oracle {
  func judgeDeaths(_ claims: Claims) {
    for left in claims.beside.left where left.number > judgedLeft {
      judgedLeft = left.number
      if left.isOver { judgeOver(left, claims.trail) }
    }
    judgeFadeLoss(claims.state)
  }

  /// Checks that a track reported as over was heard to its last frame, or to the start of the fade at its end.
  private func judgeOver(_ left: LeftTrack, _ trail: History) {
    let plan = world.tracks[left.track]
    let fade = fadeLength(of: left.track, trail)
    // After a seek, a fade may begin with the first frame heard.
    let voices = tracker.voices.filter {
      $0.track == left.track && ($0.heardAt > 0 || fade > 0 && !$0.isGone)
    }
    guard plan.tellsLength, tracker.grip == .firm, !voices.isEmpty, voices.allSatisfy(\.isSane) else {
      return
    }
    // After a seek to the end, nothing of the track is heard.
    let sought = tracker.voices.filter { $0.track == left.track && !$0.isGone }
    let last = ((voices + sought).map(\.next).max() ?? 0) + tracker.doubt.count + fade
    // Up to half a second may be missing, because a stated length may be wrong by that much.
    guard last + world.rate / 2 + world.rate / 10 < plan.length else { return }
    fail(
      .over, expected: "track \(left.track) left at \(last) of \(plan.length)",
      found: "over, at \(left.position)")
  }

  /// The length in frames of the fade at a track's end that began since the last check; 0 if none did. The fade may
  /// have been cancelled since.
  private func fadeLength(of track: Int, _ trail: History) -> Int {
    for index in (max(0, trail.count - 8)..<trail.count).reversed() {
      let entry = trail[index]
      guard entry.time + 100_000_000 > trail.last?.time ?? 0 else { break }
      guard case .crossfadeBegan(_, let fade) = entry.event, number(entry.from.currentTrack) == track else {
        continue
      }
      // The ramp of a stop is silent before the end of the fade.
      if case .fadingOut(_, let duration) = entry.from, duration < fade.length { return 0 }
      return Int(fade.length.count)
    }
    return 0
  }

  /// Checks that, when a fade's incoming decoder fails permanently, the outgoing track regains its level within 50
  /// ms.
  private func judgeFadeLoss(_ state: PlayerState) {
    var isLost = false
    var name = ""
    // A track that fades into itself has two voices with one number.
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
