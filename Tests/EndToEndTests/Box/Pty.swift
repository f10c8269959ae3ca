// A pseudo-terminal that acts as a box's serial line; the test holds the other end. Test threads.

import Foundation
import Testing

import func CLinux.clinux_grantpt
import func CLinux.clinux_openpt
import func CLinux.clinux_ptsname
import func CLinux.clinux_unlockpt

/// The other end of a serial line. The daemon opens `path`, a link that survives unplugging.
final class Pty {
  private var master: Int32 = -1
  private var link = ""
  private(set) var text = ""

  init(at path: String) throws { try plugIn(at: path) }

  deinit { unplug() }

  /// Connects a new line to the link.
  func plugIn(at path: String) throws {
    master = clinux_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)
    try #require(master >= 0 && clinux_grantpt(master) == 0 && clinux_unlockpt(master) == 0)
    var bytes = [CChar](repeating: 0, count: 64)
    try #require(clinux_ptsname(master, &bytes, bytes.count) == 0)
    let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    link = path
    unlink(path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: name)
    text = ""
  }

  /// Unplugs the line. The link is removed first, because the terminal's number may be reused by another
  /// test, and two boxes on one line would share their input.
  func unplug() {
    unlink(link)
    if master >= 0 { close(master) }
    master = -1
  }

  /// Sets the width of the terminal.
  func resize(columns: UInt16) {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  private var mode: termios {
    var mode = termios()
    tcgetattr(master, &mode)
    return mode
  }

  /// Whether the terminal is in canonical mode with echo.
  var isCooked: Bool { mode.c_lflag & tcflag_t(ICANON) != 0 }

  /// Switches to canonical mode, as a shell does.
  func cook() {
    var mode = mode
    mode.c_lflag |= tcflag_t(ICANON | ECHO)
    tcsetattr(master, TCSANOW, &mode)
  }

  /// Reads the pending output.
  func take() {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = read(master, &chunk, chunk.count), count > 0 {
      text += String(decoding: chunk[..<count], as: UTF8.self)
    }
  }

  /// Sends bytes, and reads output at the same time if `reads`. Returns the number of bytes that were
  /// accepted.
  @discardableResult
  func send(_ bytes: [UInt8], reads: Bool = true, seconds: Double = 20) -> Int {
    var rest = bytes[...]
    let end = DispatchTime.now() + seconds
    while !rest.isEmpty, DispatchTime.now() < end {
      let count = rest.withUnsafeBytes { write(master, $0.baseAddress, min($0.count, 512)) }
      if count > 0 { rest = rest.dropFirst(count) } else { usleep(1000) }
      if reads { take() }
    }
    return bytes.count - rest.count
  }

  /// Discards the output so far.
  func forget() {
    take()
    text = ""
  }

  /// Types a line.
  func type(_ line: String) { send(Array((line + "\r").utf8)) }

  /// Waits until the box has shown a text since the last call.
  func shows(_ wanted: String, seconds: Double = 20) -> Bool {
    let end = DispatchTime.now() + seconds
    while true {
      take()
      if let range = text.range(of: wanted) {
        text = String(text[range.upperBound...])
        return true
      }
      guard DispatchTime.now() < end else { return false }
      usleep(2000)
    }
  }
}
