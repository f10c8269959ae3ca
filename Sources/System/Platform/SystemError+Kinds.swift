// What an error of a device means for who wanted it. Any thread.

import CLinux

extension SystemError {
  /// What to make of an error.
  package enum Kind: Hashable, Sendable {
    /// It is not there, or not any more.
    case missing
    /// Somebody else has it.
    case busy
    /// The driver cannot do what was asked for.
    case unsupported
    /// Anything else.
    case other
  }

  /// What to make of it, for devices.
  package var kind: Kind {
    switch code {
    case ENOENT, ENODEV, ENXIO, ENOTDIR: .missing
    case EBUSY: .busy
    case EINVAL, ENOTTY, EOPNOTSUPP, ENOSYS, CLINUX_ENOTSUPP: .unsupported
    default: .other
    }
  }

  /// The code that says that a device has gone.
  package static var noSuchDevice: Int32 { ENODEV }
  /// The code that says that the caller's user or group may not.
  package static var accessDenied: Int32 { EACCES }
  /// The code that says that somebody else has the address.
  package static var addressInUse: Int32 { EADDRINUSE }
  /// The code that says that somebody else has it.
  package static var busy: Int32 { EBUSY }
  /// The code that drivers answer for what they cannot do.
  package static var unsupported: Int32 { CLINUX_ENOTSUPP }
  /// The code of a GPIO line that cannot tell of its edges.
  package static var noInterrupt: Int32 { ENXIO }
  /// The code that says that there are too many already.
  package static var tooMany: Int32 { EAGAIN }
}
