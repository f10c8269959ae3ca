// What the inputs of a chip, of a panel and of all input devices have in common. Control thread only.

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

/// What a unit reports to.
final class UnitContext {
  let levels: ControlLevels
  /// A tag has come to a reader, or has gone.
  var onTag: (TagInput) -> Void = { _ in }
  /// Something has gone; `problems` has changed.
  var onLoss: () -> Void = {}
  /// A sentence for the log.
  var onNote: (String) -> Void = { _ in }

  init(_ levels: ControlLevels) { self.levels = levels }
}
