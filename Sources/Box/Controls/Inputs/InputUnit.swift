// The interface shared by the inputs of GPIO chips, panels, input devices and NFC readers. Control thread
// only.

import PlaybackModel

/// A group of inputs on one device or one kind of device.
protocol InputUnit: AnyObject {
  /// The present problems.
  var problems: [Problem] { get }
  /// The kinds of devices that are missing and to be watched for.
  var wants: DeviceKinds { get }
  /// Opens everything that is not open yet.
  func open()
  /// Closes all devices. The unit cannot be used again.
  func end()
}

/// The content of a reader that reports both placing and removing.
enum ReaderField: Hashable {
  case empty
  case tag(TagID)
}

/// The callbacks and shared state of all units.
final class UnitContext {
  let levels: ControlLevels
  /// The known contents of readers. They outlive reader processes and inputs, so that a tag that is still
  /// there is not reported as placed again.
  var fields: [ControlName: ReaderField]
  /// Called when a tag is placed on a reader or removed.
  var onTag: (TagInput) -> Void = { _ in }
  /// Called when a device is lost and `problems` has changed.
  var onLoss: () -> Void = {}
  /// Called when a device is back and `problems` has changed.
  var onReturn: () -> Void = {}
  /// Called with a sentence for the log.
  var onNote: (String) -> Void = { _ in }

  init(_ levels: ControlLevels, fields: [ControlName: ReaderField]) {
    self.levels = levels
    self.fields = fields
  }
}
