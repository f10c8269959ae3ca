// Writes every change of state and every command with its frame on the timeline: what the demo's picture is
// drawn from. Main thread.

import PlaybackModel
import Platform
import Player

/// A file of lines, each with the frame first; tabs set off what not every line has:
///
///     FRAME STATE TRACK
///     FRAME STATE TRACK <tab> NEXT TRACK                                in preparingCrossfade
///     FRAME STATE TRACK <tab> NEXT TRACK <tab> INDEX/LENGTH CURVE       in crossfading, crossfadePaused
///     FRAME command WORDS                                               as a script would give it
///
/// INDEX and LENGTH are frames of the fade. A paused fade has a line at the command and another where the
/// ramp is over and everything stands still.
final class StateLog {
  private let file: FileDescriptor
  private var last = ""

  /// Creates or replaces the file.
  init(_ path: String) throws(SystemError) { file = try FileDescriptor.create(path) }

  /// Adds a line if the state is another than before.
  func write(_ player: Player, frame: Frames) {
    let state = player.machine.state
    var entry = state.kind.name + " " + (state.currentTrack?.displayName ?? "-")
    if let next = state.nextTrack { entry += "\t" + next.displayName }
    // A running fade moves with every frame; only where it began or went on is told.
    var key = entry
    if let fade = state.fadeProgress {
      let curve =
        switch state {
        case .crossfading(_, _, let curve, _, _): curve
        case .crossfadePaused(_, _, _, let snapshot, _): snapshot.curve
        default: player.machine.settings.curve
        }
      entry += "\t\(fade.index.count)/\(fade.length.count) \(curve.name)"
      if state.kind == .crossfadePaused { key = entry }
    }
    guard key != last else { return }
    last = key
    add("\(frame.count) \(entry)\n")
  }

  /// Adds a line for a command that was given.
  func write(command: String, frame: Frames) { add("\(frame.count) command \(command)\n") }

  private func add(_ line: String) {
    var line = line
    _ = line.withUTF8 { bytes in try? file.writeAll(UnsafeRawBufferPointer(bytes)) }
  }
}
