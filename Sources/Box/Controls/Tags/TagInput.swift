// Events and declarations of RFID tag readers. Pure values; control thread.

import PlaybackModel

/// A tag was placed on a reader or removed.
package enum TagInput: Hashable, Sendable {
  /// A tag was placed on a reader or held in front of it.
  case placed(TagID, on: ControlName)
  /// A tag was already on the reader when monitoring began, so it was not just placed.
  case lying(TagID, on: ControlName)
  /// The tag was removed from the reader. Keyboard readers do not report this.
  case lifted(from: ControlName)

  /// The line in a panel's protocol: `tag shelf 0012345678`, `untag shelf`.
  package var text: String {
    switch self {
    case .placed(let tag, let reader), .lying(let tag, let reader): "tag " + reader.text + " " + tag.text
    case .lifted(let reader): "untag " + reader.text
    }
  }
}

/// A reader of tags and its connection.
package struct ReaderDeclaration: Hashable, Sendable {
  /// The connection of a reader.
  package enum Source: Hashable, Sendable {
    /// An input device that types each tag's number and Enter: its path, its name or a part of its name.
    case keyboard(String)
    /// A microcontroller on a serial line, which reports the reader by name.
    case panel
    /// A PN532 that a separate process reads.
    case nfc(NFCConnection)
  }

  /// The reader's name.
  package let name: ControlName
  /// The connection.
  package let source: Source

  /// Creates a declaration.
  package init(_ name: ControlName, _ source: Source) {
    self.name = name
    self.source = source
  }
}
