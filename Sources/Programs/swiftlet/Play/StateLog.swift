// Writes state changes and commands with their timeline frames to the file of `--events`, for tests and the demo
// picture. Main thread.

import PlaybackModel
import Platform
import Player

/// Log of state changes and commands. Each line starts with a frame number; optional parts are separated by tabs:
///
///     FRAME STATE TRACK
///     FRAME STATE TRACK <tab> NEXT TRACK                                in preparingCrossfade
///     FRAME STATE TRACK <tab> NEXT TRACK <tab> INDEX/LENGTH CURVE       in crossfading, crossfadePaused
///     FRAME command WORDS                                               as a script would give it
///
/// INDEX and LENGTH are frames of the fade. A fade that is paused gets one line at the command, and another when the
/// ramp is over.
final class StateLog {
  private let file: FileDescriptor
  private var last = ""

  /// Creates or replaces the file.
  ///
  /// - Throws: `SystemError` if it cannot be created.
  init(_ path: String) throws(SystemError) { file = try FileDescriptor.create(path) }

  /// Adds a line if the state has changed.
  func write(_ player: Player, frame: Frames) {
    let state = player.machine.state
    var entry = state.kind.name + " " + (state.currentTrack?.displayName ?? "-")
    if let next = state.nextTrack { entry += "\t" + next.displayName }
    // A running fade advances with every frame, so its progress is written only at its start and when it resumes.
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

  /// Adds a line for a command.
  func write(command: String, frame: Frames) { add("\(frame.count) command \(command)\n") }

  private func add(_ line: String) {
    var line = line
    _ = line.withUTF8 { bytes in try? file.writeAll(UnsafeRawBufferPointer(bytes)) }
  }
}
