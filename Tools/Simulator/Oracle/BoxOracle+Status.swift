// Oracle for `status`: compares the answer with the player's state at the same moment. One thread.

import PlaybackModel
import Player

extension BoxOracle {
  /// Checks one answer; `answer` is one line of JSON.
  func judgeStatus(_ answer: Substring, _ claims: Claims, _ player: Player?, _ outside: SimulatedBoxes) {
    guard let player else { return }
    let fields = StatusFields(answer)
    let state = claims.state
    func compare(_ name: String, _ expected: String?) {
      let found = fields[name]
      if found != expected {
        oracle.fail(
          .status, expected: "\(name) \(expected ?? "not told of") in \(state.kind.name)",
          found: found ?? "nothing of it")
      }
    }
    compare("state", state.kind.name)
    compare("text", state.statusText)
    let isFading = state.fadeProgress != nil
    // After the last track was removed, `status` has no track.
    let isNothingLeft = state.kind == .finished && player.queue.tracks.isEmpty
    let track = isNothingLeft ? nil : state.personsTrack
    compare("path", track?.path)
    compare("title", track?.displayName)
    compare("outgoing", isFading ? state.currentTrack?.displayName : nil)
    compare("next", isFading ? nil : state.nextTrack?.displayName)
    compare("light", indicator(of: state, in: outside).text)
    compare("source", player.liveInputName)
    compare("queue", "\(player.queue.count)")
    compare("queue-position", player.queue.currentIndex.map { "\($0 + 1)" })
    compare("repeat", player.queue.repeatMode.name)
    compare("shuffle", player.queue.isShuffled ? "true" : "false")
    if fields["alarm"]?.contains("built-in") == true { alarmRingsByItself() }
    judgeVolume(fields, claims)
    judgePosition(fields, claims)
  }

  private func judgeVolume(_ fields: StatusFields, _ claims: Claims) {
    guard let volume = fields["volume"].flatMap({ Double($0) }), let gain = claims.gain else { return }
    let part = volume / 100
    if abs(part * part * part - gain) > 0.02 {
      oracle.fail(.status, expected: "volume for a gain of \(gain)", found: "\(volume)")
    }
  }

  /// Checks the reported position against the frame being heard, unless a change is still in progress.
  private func judgePosition(_ fields: StatusFields, _ claims: Claims) {
    guard let told = fields["position"].flatMap({ Double($0) }), oracle.isRecentlyHeard,
      !oracle.tracker.isLost,
      let path = fields["path"],
      !oracle.tracker.circumstances.isDisturbed(at: now), now > oracle.faultAt + 1_500_000_000,
      now > stalledUntil + 500_000_000
    else { return }
    switch claims.state {
    case .playing, .preparingCrossfade, .crossfading: break
    default: return
    }
    let voices = oracle.tracker.voices.filter { $0.track == SimulatedDecoders.number(path) && !$0.isGone }
    guard voices.count == 1, voices[0].isSane else { return }
    let heard = Double(voices[0].next) / Double(rate)
    if abs(told - heard) > 0.2 {
      oracle.fail(
        .status, expected: "position \(heard) of \(path), \(claims.state.kind.name)", found: "\(told)")
    }
  }
}

/// Fields of a JSON answer, as text. Parses what the box writes, not JSON in general.
struct StatusFields {
  private var fields: [(name: Substring, value: Substring)] = []

  init(_ answer: Substring) {
    guard let start = answer.range(of: "\"fields\":{") else { return }
    var rest = answer[start.upperBound...]
    while rest.first == "\"" {
      rest = rest.dropFirst()
      guard let end = rest.firstIndex(of: "\"") else { return }
      let name = rest[..<end]
      rest = rest[end...].dropFirst(2)
      let value: Substring
      if rest.first == "\"" {
        rest = rest.dropFirst()
        var place = rest.startIndex
        while place < rest.endIndex, rest[place] != "\"" {
          rest.formIndex(&place, offsetBy: rest[place] == "\\" ? 2 : 1)
        }
        value = rest[..<place]
        rest = rest[place...].dropFirst()
      } else {
        value = rest.prefix { $0 != "," && $0 != "}" }
        rest = rest[value.endIndex...]
      }
      fields.append((name, value))
      guard rest.first == "," else { return }
      rest = rest.dropFirst()
    }
  }

  subscript(_ name: String) -> String? {
    fields.first { $0.name == name }.map { String($0.value) }
  }
}
