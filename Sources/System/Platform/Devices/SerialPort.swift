// A tty as a raw serial line. Control thread only; never blocks.

import CLinux

/// Opens serial lines.
package enum SerialPort {
  /// Opens a tty in raw mode, 8N1, without flow control, non-blocking, and not as the controlling terminal.
  ///
  /// - Throws: An error that names the path.
  package static func open(_ path: String, baud: Int) throws(SystemError) -> FileDescriptor {
    let line = try FileDescriptor.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
    guard isatty(line.raw) == 1 else { throw SystemError(FileRefusal.lineCall, on: path, code: ENOTTY) }
    guard clinux_make_raw(line.raw, Int32(clamping: baud)) == 0 else {
      throw SystemError("tcsetattr", on: path)
    }
    return line
  }
}
