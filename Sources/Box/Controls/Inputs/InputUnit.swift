// What the inputs of a chip, of a panel and of all input devices have in common. Control thread only.

import PlaybackModel

/// Inputs that come and go together.
protocol InputUnit: AnyObject {
  /// What is missing now.
  var problems: [Problem] { get }
  /// What has to be looked for now and then, because nothing tells of it.
  var wants: DeviceKinds { get }
  /// Opens what is not open; no harm if all is.
  func open()
  /// Closes everything, for good.
  func end()
}

/// What lies on a reader that says so.
enum ReaderField: Hashable {
  case empty
  case tag(TagID)
}

/// What a unit reports to.
final class UnitContext {
  let levels: ControlLevels
  /// What is known to lie on readers. It outlives their processes and the inputs: a tag that lies there is not put there again.
  var fields: [ControlName: ReaderField]
  /// A tag has come to a reader, or has gone.
  var onTag: (TagInput) -> Void = { _ in }
  /// Something has gone; `problems` has changed.
  var onLoss: () -> Void = {}
  /// Something is back; `problems` has changed.
  var onReturn: () -> Void = {}
  /// A sentence for the log.
  var onNote: (String) -> Void = { _ in }

  init(_ levels: ControlLevels, fields: [ControlName: ReaderField]) {
    self.levels = levels
    self.fields = fields
  }
}
