// Asks storage for names from a process of its own, which can be given up where a thread could not: one that the kernel holds for
// dead storage would hold the daemon's sockets and its sound card, too. A thread that may wait, for half a minute at worst.

import CLinux
import Decoding
import PlaybackModel
import Platform

/// Look-ups by another process.
package enum LookupProcess {
  /// Nanoseconds after which storage that has not answered is given up. Whoever waits for the answer has been told before.
  private static let timeoutNanoseconds: UInt64 = 35_000_000_000
  /// Milliseconds between two looks at whether the answer is still wanted.
  private static let pauseMilliseconds: Int32 = 200
  /// Bytes of an answer at most: the longest queue, with the longest names.
  private static let mostBytes = 128 << 20

  /// Where something of a name is; nil: nowhere, or nobody knows.
  package static func locate(_ name: String, within roots: MediaRoots, _ cancellation: Cancellation)
    -> String?
  {
    let question = LookupQuestion(.locate, of: name, within: roots)
    if case .place(let path)? = ask(question, cancellation) { return path }
    return nil
  }

  /// The tracks that a path stands for.
  package static func expand(
    _ path: String, within roots: MediaRoots, _ cancellation: Cancellation
  ) throws(PlaybackError) -> ExpandedMedia {
    switch ask(LookupQuestion(.expand, of: path, within: roots), cancellation) {
    case .tracks(let found)?: return found
    case .refused(let error)?: throw error
    default: throw PlaybackError(.unreadable, path: path, detail: "its storage does not answer")
    }
  }

  /// What a folder beneath the roots holds.
  package static func entries(
    of folder: String, within roots: MediaRoots, _ cancellation: Cancellation
  ) throws(SystemError) -> [DirectoryEntry] {
    switch ask(LookupQuestion(.list, of: folder, within: roots), cancellation) {
    case .entries(let entries)?: return entries
    case .unreadable(let code)?: throw SystemError("opendir", on: folder, code: code)
    default: throw SystemError("opendir", on: folder, code: ETIMEDOUT)
    }
  }

  private static func ask(_ question: LookupQuestion, _ cancellation: Cancellation) -> LookupAnswer? {
    guard !cancellation.isSet, !isRefused(question) else { return nil }
    do throws(SystemError) {
      let pipe = try Pipe()
      let child = try start(question, answeringTo: pipe.input)
      // Only the child has the other end then: so its end shows when the child has gone.
      let bytes = try read(pipe.takeOutput(), cancellation)
      _ = consume child
      return bytes.flatMap { LookupAnswer($0) }
    } catch {
      return nil
    }
  }

  private static func start(
    _ question: LookupQuestion, answeringTo pipe: borrowing FileDescriptor
  ) throws(SystemError) -> ChildProcess {
    let null = try FileDescriptor.open("/dev/null", O_RDWR)
    return try ChildProcess.spawn(
      Executable.own, arguments: question.words(parent: getpid()), environment: Environment.all,
      descriptors: [null.raw, pipe.raw, 2], storage: question.storage)
  }

  /// Whether too many wait for that storage already.
  private static func isRefused(_ question: LookupQuestion) -> Bool {
    guard let storage = question.storage else { return false }
    UnreapedChildren.ofProcess.reap()
    return UnreapedChildren.ofProcess.refuses(storage)
  }

  /// All that comes; nil where it does not come in time, is too much, or is not wanted any more.
  private static func read(
    _ answers: borrowing FileDescriptor, _ cancellation: Cancellation
  ) throws(SystemError) -> [UInt8]? {
    let end = MonotonicClock.now() &+ timeoutNanoseconds
    var bytes: [UInt8] = []
    while bytes.count <= mostBytes {
      let now = MonotonicClock.now()
      guard now < end, !cancellation.isSet else { return nil }
      var entry = pollfd(fd: answers.raw, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, min(Int32((end - now) / 1_000_000) + 1, pauseMilliseconds)) > 0 else { continue }
      guard let more = try answers.read(atMost: 65_536), !more.isEmpty else { return bytes }
      bytes += more
    }
    return nil
  }
}
