// A pseudo-terminal: a serial line without a wire. Control thread.

import CLinux

/// One end of a line; a program opens the other by its name (pty(7)).
@usableFromInline package struct PseudoTerminal: ~Copyable {
  /// This end. It does not block.
  package let near: FileDescriptor
  /// The path of the other end.
  package let farName: String
  /// Keeps the line up while nobody else has it open.
  private let far: FileDescriptor

  /// A new line, raw.
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
