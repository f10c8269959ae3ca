// Runs a helper process that writes one answer to its standard output and exits. Blocks, so not for the
// control thread; if storage hangs, the process hangs and can be abandoned.

import CLinux

/// Runs helper processes of this program and collects their output.
package enum AskedProcess {
  /// Milliseconds between polls of the cancellation flag.
  private static let pauseMilliseconds: Int32 = 200

  /// Runs a helper process and returns its output; nil after a timeout, too much output, or cancellation.
  ///
  /// - Parameters:
  ///   - words: Its name and arguments.
  ///   - storage: The folder whose storage it may block on; nil if there is none in particular.
  ///   - silence: The timeout without output, in nanoseconds.
  ///   - maxBytes: The most bytes of output.
  ///   - cancellation: Cancels the wait.
  /// - Throws: If the process cannot be started.
  package static func answer(
    to words: [String], on storage: String?, silentFor silence: UInt64, maxBytes: Int,
    _ cancellation: Cancellation
  ) throws(SystemError) -> [UInt8]? {
    let pipe = try Pipe()
    let child = try start(words, storage, answeringTo: pipe.input)
    // Close this process's copy of the write end, so that end of file is seen when the child exits.
    let bytes = try read(pipe.takeOutput(), silence, maxBytes, cancellation)
    _ = consume child
    return bytes
  }

  private static func start(
    _ words: [String], _ storage: String?, answeringTo pipe: borrowing FileDescriptor
  ) throws(SystemError) -> ChildProcess {
    let null = try FileDescriptor.open("/dev/null", O_RDWR)
    return try ChildProcess.spawn(
      Executable.own, arguments: words, environment: Environment.all,
      descriptors: [null.raw, pipe.raw, 2], storage: storage)
  }

  private static func read(
    _ answers: borrowing FileDescriptor, _ silence: UInt64, _ maxBytes: Int, _ cancellation: Cancellation
  ) throws(SystemError) -> [UInt8]? {
    var end = MonotonicClock.now() &+ silence
    var bytes: [UInt8] = []
    while bytes.count <= maxBytes {
      let now = MonotonicClock.now()
      guard now < end, !cancellation.isSet else { return nil }
      var entry = pollfd(fd: answers.raw, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, min(Int32((end - now) / 1_000_000) + 1, pauseMilliseconds)) > 0 else { continue }
      guard let more = try answers.read(atMost: 65_536), !more.isEmpty else { return bytes }
      bytes += more
      end = MonotonicClock.now() &+ silence
    }
    return nil
  }
}
