// The hidden subcommand `reader`: looks again and again which tag lies on a PN532, and says what has changed. A process of its own, one thread: it
// waits for a chip that may never answer, by a library that the box does without.

import CLinux
import Controls
import Platform
import PlaybackModel

/// Reads one PN532, until that fails or its box is gone. Whoever has started it starts it again.
///
/// Descriptors: 0 /dev/null, 1 the pipe to the box, 2 /dev/null.
package enum ReaderMain {
  /// Milliseconds between two looks, where a tag lies there, and where none does.
  private static let pauses: (tag: Int32, none: Int32) = (150, 250)
  /// Seconds that the chip may take for a look, and for its beginning. libnfc itself would wait for ever.
  private static let timeoutSeconds: (look: UInt32, beginning: UInt32) = (4, 10)
  /// So many looks in a row may fail.
  private static let maxFailures = 3

  /// Runs. `arguments` is what follows `swiftlet reader`: the connection, the parent. The result is the exit status; why it ends is the last
  /// that comes through the pipe.
  package static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count == 2, let connection = try? NFCConnection(arguments[0]),
      let parent = Int32(arguments[1])
    else {
      TextOutput.standardError.line("swiftlet reader: started by the box, not by hand")
      return 64
    }
    guard ChildProcess.dieWithParent(parent) else { return 1 }
    do throws(ReaderFailure) {
      try read(connection)
      return 0
    } catch {
      _ = say(.exitReason(error.sentence))
      return 1
    }
  }

  private static func read(_ connection: NFCConnection) throws(ReaderFailure) {
    let library = try NFCLibrary()
    try check(connection)
    guard clinux_handle_signal(SIGALRM, giveUp, 0) == 0 else {
      throw ReaderFailure("its process cannot be set up: \(SystemError("sigaction").description)")
    }
    try ReaderSandbox.enter(opening: connection.path)
    _ = alarm(timeoutSeconds.beginning)
    var chip = try library.open(connection)
    try ReaderSandbox.enterReading()
    var presence = TagPresence()
    var failures = 0
    var nextBeat: UInt64 = 0
    while true {
      _ = alarm(timeoutSeconds.look)
      do throws(ReaderFailure) {
        let seen = try chip.look()
        failures = 0
        if let report = presence.take(seen), !say(report) { return }
        let now = MonotonicClock.now()
        if now >= nextBeat {
          guard say(.beat) else { return }
          nextBeat = now + ReaderReport.interval
        }
      } catch {
        // What was not looked at is not gone.
        failures += 1
        guard failures < maxFailures else { throw error }
      }
      guard pause(presence.hasTag ? pauses.tag : pauses.none) else { return }
    }
  }

  /// Says in which way the device cannot be used, which libnfc does not.
  private static func check(_ connection: NFCConnection) throws(ReaderFailure) {
    do throws(SystemError) {
      _ = try FileDescriptor.open(connection.path, O_RDWR | O_NOCTTY | O_NONBLOCK)
    } catch {
      throw ReaderFailure("\(connection.path) cannot be opened (\(error.reason)); \(connection.bus.advice)")
    }
  }

  /// Waits for the next look; false when nobody listens any more.
  private static func pause(_ milliseconds: Int32) -> Bool {
    var box = pollfd(fd: 1, events: 0, revents: 0)
    return poll(&box, 1, milliseconds) == 0
  }

  /// Says something; false where nobody listens any more.
  private static func say(_ report: ReaderReport) -> Bool {
    let line = report.line
    return CLinux.write(1, line, line.count) == line.count
  }

  /// The chip has not answered in time. Runs as a signal's handler: nothing is allocated, and nothing returns.
  private static let giveUp:
    @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = { _, _, _ in
      let words: StaticString = "!the PN532 does not answer any more; see to its wires and its power\n"
      _ = CLinux.write(1, words.utf8Start, words.utf8CodeUnitCount)
      _exit(1)
    }
}
