// A pseudo-terminal as the serial line of a box: the test holds the far end.

import Foundation
import Testing

import func CLinux.clinux_grantpt
import func CLinux.clinux_openpt
import func CLinux.clinux_ptsname
import func CLinux.clinux_unlockpt

/// The far end of a serial line. The daemon's end is found at `path`, a link that outlives the line.
final class Pty {
  private var master: Int32 = -1
  private var link = ""
  private(set) var text = ""

  init(at path: String) throws { try plugIn(at: path) }

  deinit { unplug() }

  /// A new line, behind the same link.
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

  /// Pulls the line. Its link goes first: its number may be another test's line in a moment, and two boxes on
  /// one line would share what is typed.
  func unplug() {
    unlink(link)
    if master >= 0 { close(master) }
    master = -1
  }

  /// Says how wide the terminal is.
  func resize(columns: UInt16) {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  private var mode: termios {
    var mode = termios()
    tcgetattr(master, &mode)
    return mode
  }

  /// Whether it gives whole lines, and echoes them.
  var isCooked: Bool { mode.c_lflag & tcflag_t(ICANON) != 0 }

  /// Makes it give whole lines, as a shell does.
  func cook() {
    var mode = mode
    mode.c_lflag |= tcflag_t(ICANON | ECHO)
    tcsetattr(master, TCSANOW, &mode)
  }

  /// Reads what has come.
  func take() {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = read(master, &chunk, chunk.count), count > 0 {
      text += String(decoding: chunk[..<count], as: UTF8.self)
    }
  }

  /// Sends bytes; what comes back meanwhile is read unless `reads` is false. Answers how many were taken.
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

  /// Forgets what has been shown.
  func forget() {
    take()
    text = ""
  }

  /// Types a line.
  func type(_ line: String) { send(Array((line + "\r").utf8)) }

  /// Waits until the box has shown this since the last call.
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
