// Classifies system errors of devices, and names common codes. Any thread.

import CLinux

extension SystemError {
  /// The class of an error.
  package enum Kind: Hashable, Sendable {
    /// The device does not exist, or has been removed.
    case missing
    /// Another process or driver uses the device.
    case busy
    /// The driver does not support the operation.
    case unsupported
    /// Any other error.
    case other
  }

  /// The error's class, for errors of devices.
  package var kind: Kind {
    switch code {
    case ENOENT, ENODEV, ENXIO, ENOTDIR: .missing
    case EBUSY: .busy
    case EINVAL, ENOTTY, EOPNOTSUPP, ENOSYS, CLINUX_ENOTSUPP: .unsupported
    default: .other
    }
  }

  /// The code for a device that has been removed.
  package static var noSuchDevice: Int32 { ENODEV }
  /// The code for missing permissions.
  package static var accessDenied: Int32 { EACCES }
  /// The code for a network address that is in use.
  package static var addressInUse: Int32 { EADDRINUSE }
  /// The code for a resource that is in use.
  package static var busy: Int32 { EBUSY }
  /// The code that drivers return for unsupported operations.
  package static var unsupported: Int32 { CLINUX_ENOTSUPP }
  /// The code for a GPIO line without an interrupt, which cannot report edges.
  package static var noInterrupt: Int32 { ENXIO }
  /// The code for a limit that has been reached.
  package static var tooMany: Int32 { EAGAIN }
}
