// Status line of `swiftlet play`: redrawn in place on a terminal, plain lines otherwise. Main thread.

import PlaybackModel
import Platform
import Player
import RealtimeAudio
import Synchronization

/// Shows the state of a player.
final class LiveLine {
  private let isTerminal: Bool
  private let rate: SampleRate
  private var lastPlain = ""
  private var isDrawn = false

  init(rate: SampleRate) {
    isTerminal = TextOutput.standardOutput.isTerminal
    self.rate = rate
  }

  /// Redraws the line; without a terminal, prints a line if the state or track has changed.
  func show(_ player: Player, link: AudioLink) {
    if isTerminal { draw(player, link) } else { tell(player) }
  }

  /// Prints a permanent message above the status line.
  func note(_ text: String) {
    if isDrawn { TextOutput.standardOutput.write("\r\u{1B}[K") }
    isDrawn = false
    TextOutput.standardError.line(text)
  }

  /// Ends the status line with a line feed, so that it stays visible.
  func end() {
    if isDrawn { TextOutput.standardOutput.write("\n") }
    isDrawn = false
  }

  private func tell(_ player: Player) {
    let state = player.machine.state
    let name = state.currentTrack.map { $0.nameInALine } ?? ""
    let line = state.kind.name + (name.utf8.isEmpty ? "" : "  " + name)
    guard line != lastPlain else { return }
    lastPlain = line
    TextOutput.standardOutput.line(line)
  }

  private func draw(_ player: Player, _ link: AudioLink) {
    player.refresh()
    let state = player.machine.state
    let position = rate.seconds(player.position).value
    let length = state.currentTrack?.length.map { rate.seconds($0).value }
    let settings = player.machine.settings
    var text = LiveLineText(
      status: state.statusText,
      time: Decimal.clock(seconds: position) + (length.map { "/" + Decimal.clock(seconds: $0) } ?? ""),
      progress: length.map { $0 > 0 ? min(1, max(0, position / $0)) : 0 } ?? 0,
      volume: Decimal.format(Double(player.volume.percent), decimals: 0),
      underruns: String(link.counters.underruns.load(ordering: .relaxed)))
    if settings.automaticFadeLength.value > 0 {
      text.fade = Decimal.format(settings.automaticFadeLength.value, decimals: 0) + "s"
      text.curve = settings.curve.name
    }
    if let track = state.currentTrack {
      text.title = track.displayName.printable()
      text.artist = (track.artist ?? "").printable()
    }
    if let behind = player.behindLive, behind.value >= 10 {
      text.time += " (" + Decimal.clock(seconds: behind.value) + " behind live)"
    }
    text.trouble = trouble(player)
    if let next = state.nextTrack, state.kind == .crossfading { text.next = next.displayName.printable() }
    // Disable line wrapping, so that a terminal that measures character widths differently cuts the line instead.
    TextOutput.standardOutput.write(
      "\r\u{1B}[K\u{1B}[?7l" + text.line(columns: Terminal.columns) + "\u{1B}[?7h")
    isDrawn = true
  }

  /// State of a stream without data: reconnecting, or the time until the next retry.
  private func trouble(_ player: Player) -> String {
    if let due = player.retryDue {
      return (player.isNextTrackDue ? "next track in " : "trying again in ")
        + String(DeadlineTimer.seconds(until: due, from: player.now)) + " s"
    }
    return player.interruption == nil ? "" : "connecting again"
  }

}
