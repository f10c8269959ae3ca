// Crash message of `swiftlet-sim`: names the world whose code trapped. Its signal handlers may only write and exit.

import Foundation

/// Message that a signal handler writes before it ends the process.
enum CrashNote {
  private nonisolated(unsafe) static let note = UnsafeMutablePointer<UInt8>.allocate(capacity: 512)
  private nonisolated(unsafe) static var length = 0

  static let status: Int32 = 3

  /// Sets the message, at most 512 bytes.
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
