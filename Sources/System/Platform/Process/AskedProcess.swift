// A process that is asked one thing, answers on its standard output, and ends. A thread that may wait: storage that hangs holds the
// process, which can be given up.

import CLinux

/// Asks processes of this program.
package enum AskedProcess {
  /// Milliseconds between two looks at whether the answer is still wanted.
  private static let pauseMilliseconds: Int32 = 200

  /// All that a process says; nil where it says nothing for too long, says too much, or is not wanted any more.
  ///
  /// - Parameters:
  ///   - words: Its name and arguments.
  ///   - storage: The folder whose storage it may come to wait for; nil for none in particular.
  ///   - silence: Nanoseconds without a word after which it is given up.
  ///   - maxBytes: Bytes of an answer at most.
  ///   - cancellation: Gives it up.
  /// - Throws: Where it cannot be started.
  package static func answer(
    to words: [String], on storage: String?, silentFor silence: UInt64, maxBytes: Int,
    _ cancellation: Cancellation
  ) throws(SystemError) -> [UInt8]? {
    let pipe = try Pipe()
    let child = try start(words, storage, answeringTo: pipe.input)
    // Only the child has the other end then: so its end shows when the child has gone.
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
