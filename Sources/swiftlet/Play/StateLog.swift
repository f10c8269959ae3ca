// Writes every change of state with its frame on the timeline: what the demo's picture is drawn from.
// Main thread.

import PlaybackModel
import Platform
import Player

/// A file of lines `FRAME STATE PROGRESS% TRACK`.
final class StateLog {
  private let file: FileDescriptor
  private var last = ""

  /// Creates or replaces the file.
  init(_ path: String) throws(SystemError) { file = try FileDescriptor.create(path) }

  /// Adds a line if the state is another than before.
  func write(_ player: Player, frame: Frames) {
    let state = player.machine.state
    let entry = state.kind.name + " " + (state.currentTrack?.displayName ?? "-")
    guard entry != last else { return }
    last = entry
    var text = "\(frame.count) \(entry)\n"
    _ = text.withUTF8 { bytes in try? file.writeAll(UnsafeRawBufferPointer(bytes)) }
  }
}
