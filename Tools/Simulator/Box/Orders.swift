// Converts script actions to console lines, and console lines to the actions that the oracle models. Pure functions;
// any thread.

import PlaybackModel
import Player

enum Orders {
  private static let plain: [(action: Action, text: String)] = [
    (.play, "play"), (.pause, "pause"), (.toggle, "toggle"), (.stop, "stop"), (.next, "next"),
    (.previous, "previous"), (.finishFade, "finish-fade"), (.retry, "retry"), (.reset, "reset"),
    (.interrupt, "interruption begin"), (.release(true), "interruption end resume"),
    (.release(false), "interruption end stay"), (.standby, "standby"), (.wake, "wake"),
    (.powerFailing, "power-failing"), (.sleepTimer, "sleep 1"), (.clear, "queue clear"),
    (.removeUpcoming, "queue clear upcoming"),
  ]

  private static func seconds(_ milliseconds: Int) -> String {
    let size = abs(milliseconds)
    return "\(size / 1000)." + "\(1000 + size % 1000)".dropFirst()
  }

  /// The console lines that perform an action; empty if the console has none for it.
  static func commands(_ action: Action, _ player: Player, _ tracks: [TrackPlan]) -> [String] {
    if let found = plain.first(where: { $0.action == action }) { return [found.text] }
    func path(_ number: Int) -> String {
      SimulatedDecoders.path(number % tracks.count, tracks[number % tracks.count])
    }
    /// The 1-based queue position of the entry at this offset after the current one; nil if the queue is empty.
    func place(_ distance: Int) -> Int? {
      let count = player.queue.count
      return count == 0 ? nil : ((player.queue.currentIndex ?? 0) + distance) % count + 1
    }
    switch action {
    case .seek(let position): return ["seek " + seconds(position)]
    case .seekShare(let percent): return ["seek \(percent)%"]
    case .seekBy(let distance): return ["seek " + (distance < 0 ? "-" : "+") + seconds(distance)]
    case .volume(let percent): return ["volume \(percent)"]
    case .curve(let curve): return ["curve \(curve.name)"]
    case .crossfade(let length):
      return ["crossfade " + seconds(length), "set fade.manual-length " + seconds(length)]
    case .threshold(let percent):
      return ["set fade.quick-finish \(percent > 100 ? "never" : "\(percent)")"]
    case .add(let number): return ["queue add " + path(number)]
    case .insertNext(let number): return ["queue insert next " + path(number)]
    case .insertBefore(let number):
      return ["queue insert \((player.queue.currentIndex ?? 0) + 1) " + path(number)]
    case .replace(let number): return ["queue clear", "queue add " + path(number), "play"]
    case .remove(let distance): return place(distance).map { ["queue remove \($0)"] } ?? []
    case .move(let from, let to):
      guard let source = place(from), let target = place(to) else { return [] }
      return ["queue move \(source) \(target)"]
    case .shuffle(let on): return ["queue shuffle \(on ? "on" : "off")"]
    case .repeatMode(let mode): return ["queue repeat \(mode.name)"]
    case .stopPoint(let point): return ["sleep " + (point?.name ?? "off")]
    default: return []
    }
  }

  /// The action that a console line amounts to in the present state; `.type` if the oracle does not model it.
  static func action(_ text: String, in claims: Claims) -> Action {
    switch text {
    // The sleep timer has its effect only when it expires.
    case "sleep 1": return .type(text)
    // Without a track, `toggle` pauses a live input if there is nothing to play, requests or cancels the restored
    // playback while the saved state is still loading, and otherwise plays.
    case "toggle"
    where claims.state.currentTrack == nil && claims.queueLength == 0 && claims.beside.hasLiveInput:
      return .pause
    case "toggle" where claims.state.kind == .idle && claims.queueLength == 0 && claims.beside.isRemembering:
      return .toggle
    case "toggle" where claims.state.currentTrack == nil: return .play
    case "interruption end": return .release(true)
    case "skip": return .next
    case "prev": return .previous
    default: break
    }
    if let found = plain.first(where: { $0.text == text }) { return found.action }
    let words = text.split(separator: " ")
    if words.count == 3, words[0] == "queue", words[1] == "remove", let place = Int(words[2]), place > 0,
      place <= claims.queueLength
    {
      let distance = place - 1 - (claims.contents.currentPlace ?? 0)
      return .remove(distance < 0 ? distance + claims.queueLength : distance)
    }
    if words.count == 2, words[0] == "seek", words[1].hasSuffix("%"), let percent = Int(words[1].dropLast()) {
      return .seekShare(percent)
    }
    if words.count == 2, words[0] == "seek", !words[1].hasSuffix("%"), let value = Double(words[1]) {
      let milliseconds = Int((value * 1000).rounded())
      return words[1].first == "+" || words[1].first == "-" ? .seekBy(milliseconds) : .seek(milliseconds)
    }
    return .type(text)
  }
}
