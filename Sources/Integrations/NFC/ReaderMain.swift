// The hidden subcommand `reader`: polls a PN532 for tags and reports changes to the daemon. A separate
// single-threaded process, because libnfc may block forever and the daemon does not load it.

import CLinux
import Controls
import Platform
import PlaybackModel

/// Polls one PN532 until it fails or the daemon is gone. The daemon restarts the process.
///
/// Descriptors: 0 /dev/null, 1 the pipe to the daemon, 2 /dev/null.
package enum ReaderMain {
  /// Milliseconds between two polls, with and without a tag present.
  private static let pauses: (tag: Int32, none: Int32) = (150, 250)
  /// Timeouts in seconds for one poll and for opening the chip; libnfc itself would wait forever.
  private static let timeoutSeconds: (look: UInt32, beginning: UInt32) = (4, 10)
  /// Number of consecutive failed polls after which the process ends.
  private static let maxFailures = 3

  /// Runs the reader until it fails. The error is the last report on the pipe.
  ///
  /// - Parameter arguments: The arguments after `swiftlet reader`: the connection and the parent's process id.
  /// - Returns: The exit status.
  package static func run(_ arguments: [String]) -> Int32 {
    let given = arguments.count == 2 ? try? NFCConnection(arguments[0]) : nil
    let parent = given.flatMap { _ in Int32(arguments[1]) }
    if let status = HelperMain.refusal(of: "reader", parent: parent) { return status }
    guard let connection = given else { return HelperMain.usage }
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
        // A failed poll does not mean that the tag was removed.
        failures += 1
        guard failures < maxFailures else { throw error }
      }
      guard pause(presence.hasTag ? pauses.tag : pauses.none) else { return }
    }
  }

  /// Throws the reason why the device cannot be opened, which libnfc does not report.
  private static func check(_ connection: NFCConnection) throws(ReaderFailure) {
    do throws(SystemError) {
      _ = try FileDescriptor.open(connection.path, O_RDWR | O_NOCTTY | O_NONBLOCK)
    } catch {
      throw ReaderFailure("\(connection.path) cannot be opened (\(error.reason)); \(connection.bus.advice)")
    }
  }

  /// Waits for the next poll. Returns false if the daemon has closed the pipe.
  private static func pause(_ milliseconds: Int32) -> Bool {
    var box = pollfd(fd: 1, events: 0, revents: 0)
    return poll(&box, 1, milliseconds) == 0
  }

  /// Sends a report. Returns false if the daemon has closed the pipe.
  private static func say(_ report: ReaderReport) -> Bool {
    let line = report.line
    return CLinux.write(1, line, line.count) == line.count
  }

  /// The handler of SIGALRM: the chip has timed out. Async-signal-safe: allocates nothing and does not return.
  private static let giveUp:
    @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = { _, _, _ in
      let words: StaticString = "!the PN532 does not answer any more; see to its wires and its power\n"
      _ = CLinux.write(1, words.utf8Start, words.utf8CodeUnitCount)
      _exit(1)
    }
}
