// What readers of tags report. Pure values; control thread.

import PlaybackModel

/// A tag has come to a reader, or has gone.
package enum TagInput: Hashable, Sendable {
  /// A tag was put on a reader, or held before it.
  case placed(TagID, on: ControlName)
  /// A tag lay on a reader already when the box began to look: no one has just put it there.
  case lying(TagID, on: ControlName)
  /// The tag on a reader was taken away; keyboards do not report that.
  case lifted(from: ControlName)

  /// As a serial panel sends it: `tag shelf 0012345678`, `untag shelf`.
  package var text: String {
    switch self {
    case .placed(let tag, let reader), .lying(let tag, let reader): "tag " + reader.text + " " + tag.text
    case .lifted(let reader): "untag " + reader.text
    }
  }
}

/// A reader of tags and where it is.
package struct ReaderDeclaration: Hashable, Sendable {
  /// Where a reader can be.
  package enum Source: Hashable, Sendable {
    /// An input device that types each tag's number, and Enter: its name or a part of it, or its path.
    case keyboard(String)
    /// A microcontroller on a serial line reports it by name.
    case panel
    /// A PN532 that a process of its own reads.
    case nfc(NFCConnection)
  }

  /// Its name.
  package let name: ControlName
  /// Where it is.
  package let source: Source

  /// A reader somewhere.
  package init(_ name: ControlName, _ source: Source) {
    self.name = name
    self.source = source
  }
}
