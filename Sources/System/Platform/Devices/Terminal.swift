// The terminal on standard input: unbuffered keys; and the size of the terminal on standard output. Control
// thread only.

import CLinux

/// A key press.
package enum Key: Equatable, Sendable {
  /// A typed byte.
  case character(UInt8)
  case up
  case down
  case left
  case right
}

/// A terminal in unbuffered mode without echo; the original mode is restored on release.
package final class Terminal {
  private var saved = termios()
  private var raw = termios()
  private var pending: [UInt8] = []

  /// Whether standard input is a terminal.
  package static var isStandardInput: Bool { isatty(0) == 1 }

  /// Switches the mode; nil if standard input is no terminal.
  package init?() {
    guard isatty(0) == 1, tcgetattr(0, &saved) == 0 else { return nil }
    raw = saved
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    raw.c_cc.6 = 0  // VMIN
    raw.c_cc.5 = 0  // VTIME
    guard tcsetattr(0, TCSANOW, &raw) == 0 else { return nil }
  }

  deinit { restore() }

  /// Restores the original mode.
  package func restore() { tcsetattr(0, TCSANOW, &saved) }

  /// Sets the mode again after the program was suspended, because the shell has changed it.
  package func resume() { tcsetattr(0, TCSANOW, &raw) }

  /// For an event loop: readable when a key was pressed.
  package var descriptor: Int32 { 0 }

  /// The bytes typed since the last call, at most 256; nil at end of file.
  package func takeBytes() -> [UInt8]? {
    var bytes: [UInt8] = []
    let isEnd = withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer -> Bool in
      let n = read(0, buffer.baseAddress, buffer.count)
      if n > 0 { bytes.append(contentsOf: buffer[0..<n]) }
      return n == 0 || (n < 0 && clinux_errno() != EAGAIN && clinux_errno() != EINTR)
    }
    return isEnd ? nil : bytes
  }

  /// The keys pressed since the last call; nil at end of file.
  package func takeKeys() -> [Key]? {
    guard let typed = takeBytes() else { return nil }
    let bytes = pending + typed
    pending = []
    var keys: [Key] = []
    var i = 0
    while i < bytes.count {
      guard bytes[i] == 0x1B, i + 1 < bytes.count, bytes[i + 1] == 0x5B || bytes[i + 1] == 0x4F else {
        keys.append(.character(bytes[i]))
        i += 1
        continue
      }
      guard i + 2 < bytes.count else {
        pending = Array(bytes[i...])
        break
      }
      switch bytes[i + 2] {
      case 0x41: keys.append(.up)
      case 0x42: keys.append(.down)
      case 0x43: keys.append(.right)
      case 0x44: keys.append(.left)
      default: break
      }
      i += 3
    }
    return keys
  }

  /// The width of the terminal on standard output in columns; 80 if unknown.
  package static var columns: Int { size.map { Int($0.ws_col) } ?? 80 }

  /// The height of the terminal on standard output in rows; 24 if unknown.
  package static var rows: Int { size.map { Int($0.ws_row) } ?? 24 }

  private static var size: winsize? {
    var size = winsize()
    guard clinux_ioctl_pointer(1, CLINUX_TIOCGWINSZ, &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    return size
  }
}
