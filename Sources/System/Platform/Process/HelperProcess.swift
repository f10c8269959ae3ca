// Runs a helper process that performs one task, writes its answer to its standard output, and exits. Blocks, so not for
// the control thread; if storage hangs, the process hangs and is abandoned.

import CLinux

/// Helper processes of this program.
package enum HelperProcess {
  /// Milliseconds between polls of the cancellation flag.
  private static let pauseMilliseconds: Int32 = 200

  /// Runs a helper process and returns its answer.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - cancellation: Ends the wait.
  /// - Throws: Why there is no answer.
  package static func answer<Task: HelperTask>(
    to task: Task, _ cancellation: Cancellation
  ) throws(HelperFailure) -> Task.Answer {
    guard !cancellation.isSet else { throw .cancelled }
    if let storage = task.storage {
      // Too many processes may already be blocked by that storage.
      UnreapedChildren.ofProcess.reap()
      guard !UnreapedChildren.ofProcess.refuses(storage) else { throw .silent }
    }
    let words = ["swiftlet", Task.subcommand, "\(getpid())"] + task.words
    let output: Output
    do throws(SystemError) {
      output = try run(words, on: task.storage, Task.timeout, Task.maxAnswer, cancellation)
    } catch {
      throw .notStarted(error)
    }
    switch output {
    case .bytes(let bytes):
      guard let answer = Task.Answer(bytes) else { throw .broken }
      return answer
    case .failure(let failure): throw failure
    }
  }

  private enum Output {
    case bytes([UInt8])
    case failure(HelperFailure)
  }

  private static func run(
    _ words: [String], on storage: String?, _ timeout: UInt64, _ maxBytes: Int, _ cancellation: Cancellation
  ) throws(SystemError) -> Output {
    let pipe = try Pipe()
    let null = try FileDescriptor.open("/dev/null", O_RDWR)
    let child = try ChildProcess.spawn(
      Executable.own, arguments: words, environment: Environment.all,
      descriptors: [null.raw, pipe.input.raw, 2], storage: storage)
    // Closes this process's copy of the write end, so that end of file is seen when the child exits.
    let output = try read(pipe.takeOutput(), timeout, maxBytes, cancellation)
    _ = consume child
    return output
  }

  private static func read(
    _ answers: borrowing FileDescriptor, _ timeout: UInt64, _ maxBytes: Int, _ cancellation: Cancellation
  ) throws(SystemError) -> Output {
    var end = MonotonicClock.now() &+ timeout
    var bytes: [UInt8] = []
    while bytes.count <= maxBytes {
      let now = MonotonicClock.now()
      guard now < end else { return .failure(.silent) }
      guard !cancellation.isSet else { return .failure(.cancelled) }
      var entry = pollfd(fd: answers.raw, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, min(Int32((end - now) / 1_000_000) + 1, pauseMilliseconds)) > 0 else { continue }
      guard let more = try answers.read(atMost: 65_536), !more.isEmpty else { return .bytes(bytes) }
      bytes += more
      end = MonotonicClock.now() &+ timeout
    }
    return .failure(.broken)
  }
}
