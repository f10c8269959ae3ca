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
      if left.isOver { judgeOver(left, claims.trail) }
    }
    judgeFadeLoss(claims.state)
  }

  /// A track is over behind its last frame, or as the fade begins that ends with it.
  private func judgeOver(_ left: LeftTrack, _ trail: History) {
    let plan = world.tracks[left.track]
    let fade = fadeLength(of: left.track, trail)
    // Behind a seek, a fade may begin with the first frame that is heard.
    let voices = tracker.voices.filter {
      $0.track == left.track && ($0.heardAt > 0 || fade > 0 && !$0.isGone)
    }
    guard plan.tellsLength, tracker.grip == .firm, !voices.isEmpty, voices.allSatisfy(\.isSane) else {
      return
    }
    // A person who seeks to the end hears nothing more of it.
    let sought = tracker.voices.filter { $0.track == left.track && !$0.isGone }
    let last = ((voices + sought).map(\.next).max() ?? 0) + tracker.doubt.count + fade
    // What is missing for less than half a second may be a length that is stated wrongly.
    guard last + world.rate / 2 + world.rate / 10 < plan.length else { return }
    fail(
      .over, expected: "track \(left.track) left at \(last) of \(plan.length)",
      found: "over, at \(left.position)")
  }

  /// Frames of the fade at a track's own end that began since the last look; 0 where none did. It may have come to nothing by now.
  private func fadeLength(of track: Int, _ trail: History) -> Int {
    for index in (max(0, trail.count - 8)..<trail.count).reversed() {
      let entry = trail[index]
      guard entry.time + 100_000_000 > trail.last?.time ?? 0 else { break }
      guard case .crossfadeBegan(_, let fade) = entry.event, number(entry.from.currentTrack) == track else {
        continue
      }
      // The ramp of a stop is silent before the fade has come to its end.
      if case .fadingOut(_, let duration) = entry.from, duration < fade.length { return 0 }
      return Int(fade.length.count)
    }
    return 0
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
