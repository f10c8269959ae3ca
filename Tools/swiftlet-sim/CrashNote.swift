// What is said when the code under trial traps: which world it was. Signal handlers; they may only write and end.

import Foundation

/// Keeps the words that a trap is to leave behind.
enum CrashNote {
  private nonisolated(unsafe) static let note = UnsafeMutablePointer<UInt8>.allocate(capacity: 512)
  private nonisolated(unsafe) static var length = 0

  static let status: Int32 = 3

  /// From now on a trap says this.
  static func set(_ text: String) {
    length = 0
    for byte in text.utf8.prefix(512) {
      note[length] = byte
      length += 1
    }
  }

  static func install() {
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT] {
      signal(number) { _ in
        write(1, CrashNote.note, CrashNote.length)
        _exit(CrashNote.status)
      }
    }
  }
}
