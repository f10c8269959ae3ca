// A pseudo-terminal, used as a virtual serial line. Control thread.

import CLinux

/// A pseudo-terminal; a program opens the other end by its path (pty(7)).
@usableFromInline package struct PseudoTerminal: ~Copyable {
  /// This end, which is non-blocking.
  package let near: FileDescriptor
  /// The path of the other end.
  package let farName: String
  /// Kept open, so that the line stays up while no program has it open.
  private let far: FileDescriptor

  /// Creates a pseudo-terminal in raw mode.
  package init() throws(SystemError) {
    let raw = clinux_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard raw >= 0 else { throw SystemError("posix_openpt") }
    let near = FileDescriptor(owning: raw)
    guard clinux_grantpt(raw) == 0, clinux_unlockpt(raw) == 0 else { throw SystemError("unlockpt") }
    var name = [CChar](repeating: 0, count: 64)
    let error = clinux_ptsname(raw, &name, name.count)
    guard error == 0 else { throw SystemError("ptsname_r", code: error) }
    let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    far = try SerialPort.open(path, baud: 115200)
    self.near = near
    farName = path
  }
}
