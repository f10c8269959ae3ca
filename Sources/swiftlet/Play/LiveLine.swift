// The one line that `swiftlet play` keeps up to date on a terminal, and plain lines elsewhere. Main thread.

import PlaybackModel
import Platform
import Player
import RealtimeAudio
import Synchronization

/// Shows what a player does.
final class LiveLine {
  private let isTerminal: Bool
  private let rate: SampleRate
  private var lastPlain = ""
  private var isDrawn = false

  init(rate: SampleRate) {
    isTerminal = TextOutput.standardOutput.isTerminal
    self.rate = rate
  }

  /// Draws the present state; without a terminal only what is new about it.
  func show(_ player: Player, link: AudioLink) {
    if isTerminal { draw(player, link) } else { tell(player) }
  }

  /// A message that stays, above the live line.
  func note(_ text: String) {
    if isDrawn { TextOutput.standardOutput.write("\r\u{1B}[K") }
    isDrawn = false
    TextOutput.standardError.line(text)
  }

  /// Leaves the last line standing.
  func end() {
    if isDrawn { TextOutput.standardOutput.write("\n") }
    isDrawn = false
  }

  private func tell(_ player: Player) {
    let state = player.machine.state
    let name = state.currentTrack.map(Self.name) ?? ""
    let line = state.kind.name + (name.utf8.isEmpty ? "" : "  " + name)
    guard line != lastPlain else { return }
    lastPlain = line
    TextOutput.standardOutput.line(line)
  }

  private func draw(_ player: Player, _ link: AudioLink) {
    player.refresh()
    let state = player.machine.state
    let columns = Terminal.columns
    let position = rate.seconds(player.position).value
    let length = state.currentTrack?.length.map { rate.seconds($0).value }
    var right = " " + Decimal.clock(seconds: position)
    if let length { right += "/" + Decimal.clock(seconds: length) }
    right += "  vol " + Decimal.format(Double(player.volume.percent), decimals: 0)
    let fade = player.machine.settings.automaticFadeLength.value
    if fade > 0 {
      right += "  fade " + Decimal.format(fade, decimals: 0) + "s " + player.machine.settings.curve.name
    }
    let xruns = link.counters.underruns.load(ordering: .relaxed)
    right += "  xruns " + String(xruns)
    var left = state.statusText
    if let track = state.currentTrack { left += "  " + Self.name(track) }
    if let next = state.nextTrack, state.kind == .crossfading { left += " → " + Self.name(next) }
    let barWidth = 20
    let room = columns - right.count - barWidth - 4
    if left.count > room { left = String(left.prefix(max(8, room - 1))) + "…" }
    let share = length.map { $0 > 0 ? min(1, position / $0) : 0 } ?? 0
    let done = Int(share * Double(barWidth))
    let bar =
      String(repeating: "━", count: done) + String(repeating: "─", count: barWidth - done)
    TextOutput.standardOutput.write("\r\u{1B}[K" + left + " " + bar + right)
    isDrawn = true
  }

  private static func name(_ track: Track) -> String {
    guard let artist = track.artist else { return track.displayName }
    return artist + " – " + track.displayName
  }
}
