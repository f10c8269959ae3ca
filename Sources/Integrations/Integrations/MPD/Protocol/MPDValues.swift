// Values of the daemon's commands from the arguments of MPD clients. Pure; total.

import Console
import PlaybackModel

extension QueuePosition {
  /// The position with an index.
  ///
  /// - Parameters:
  ///   - index: The index, from 0.
  ///   - fault: The error code of a refusal.
  ///   - text: MPD's message for a refusal; nil: the daemon's message, filtered.
  /// - Throws: `MPDRefusal` for an index beyond the longest queue.
  init(index: Int, orRefuse fault: MPDFault, _ text: String? = nil) throws(MPDRefusal) {
    guard let position = QueuePosition(number: index + 1) else {
      throw .badValue(String(index + 1), fault, text)
    }
    self = position
  }
}

extension QueuePlace {
  /// The place of an entry with an id. No entry has a negative id.
  init(id: Int) { self = .id(UInt64(clamping: id)) }
}

extension PlaylistName {
  /// The name of a saved playlist.
  ///
  /// - Parameters:
  ///   - name: The client's name.
  ///   - fault: The error code of a refusal.
  ///   - text: MPD's message for a refusal; nil: the daemon's message, filtered.
  /// - Throws: `MPDRefusal` for a name that no playlist can have, because it is too long.
  init(_ name: String, orRefuse fault: MPDFault, _ text: String? = nil) throws(MPDRefusal) {
    guard let name = PlaylistName(name) else { throw .badValue(name, fault, text) }
    self = name
  }
}

extension MPDRefusal {
  /// The refusal of a value that no command of the daemon takes. It has the text of the daemon's own refusal.
  fileprivate static func badValue(_ word: String, _ fault: MPDFault, _ text: String?) -> MPDRefusal {
    .box(
      CommandLineText.canHold(word) ? "'" + word + "' is not a value" : BoxLink.unspeakable, fault, text)
  }
}
