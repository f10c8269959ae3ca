// What the fetcher process does from its first instruction on: it takes its order, loads a plugin, closes the sandbox, and connects.
// Nothing else in Swiftlet brings a stream's bytes from the network.

import CLinux
import Platform

/// The hidden subcommand `fetch`.
///
/// Descriptors: 0 and 1 /dev/null, 2 the engine's stderr (until the sandbox closes), 3 the engine's socket, 4 the worker's, 5 the spool.
package enum FetcherMain {
  /// Within so many milliseconds the order comes.
  private static let orderMilliseconds: Int32 = 5000

  /// Whether a process with these arguments, its name first, was started by an engine as a fetcher.
  package static func isAsked(_ arguments: [String]) -> Bool {
    arguments.prefix(2).elementsEqual(FetcherArguments.name)
      && FetcherArguments(Array(arguments.dropFirst(2))) != nil
  }

  /// Runs the fetcher. `words` is what follows `swiftlet fetch`. The result is the exit status.
  package static func run(_ words: [String]) -> Int32 {
    guard let arguments = FetcherArguments(words) else {
      TextOutput.standardError.line("swiftlet fetch: started by the engine, not by hand")
      return 64
    }
    guard ChildProcess.dieWithParent(arguments.parent) else { return 1 }
    let engine = MessageSocket(FileDescriptor(owning: FetcherSandbox.engine))
    let worker = MessageSocket(FileDescriptor(owning: FetcherSandbox.worker))
    guard let order = order(from: engine), let spool = spool(arguments) else { return 1 }
    FetchLoop(order, FetcherLink(spool, engine: engine, worker: worker)).run(plugins: arguments.plugins)
    // Without running destructors: those of plugins and their libraries are as little trusted as the rest of them.
    _exit(0)
  }

  private static func order(from engine: borrowing MessageSocket) -> FetchOrder? {
    var buffer = [UInt8](repeating: 0, count: MessageSocket.limit)
    guard engine.wait(milliseconds: orderMilliseconds),
      case .message(let count) = engine.receive(into: &buffer)
    else { return nil }
    return FetchOrder(buffer[..<count])
  }

  private static func spool(_ arguments: FetcherArguments) -> SpoolWriter? {
    let layout = SpoolLayout(capacity: arguments.window)
    do throws(SystemError) {
      return SpoolWriter(
        try SharedMemory(mapping: FileDescriptor(owning: FetcherSandbox.spool), size: layout.totalBytes),
        layout)
    } catch {
      return nil
    }
  }
}

/// The command line between engine and fetcher. What is secret is no word of it.
struct FetcherArguments: Equatable {
  let parent: Int32
  let window: Int
  var plugins: String

  /// What a fetcher is called, whichever program it is: the program's name and the hidden subcommand.
  static let name = ["swiftlet", "fetch"]

  init(parent: Int32, window: Int, plugins: String) {
    (self.parent, self.window, self.plugins) = (parent, window, plugins)
  }

  /// For execve.
  var words: [String] { Self.name + ["\(parent)", "\(window)", plugins] }

  /// Reads what follows the subcommand; nil if it is not what `words` writes.
  init?(_ words: [String]) {
    guard words.count == 3, let parent = Int32(words[0]), let window = Int(words[1]), window >= 65_536,
      window <= 64 << 20, window & (window - 1) == 0
    else { return nil }
    self.init(parent: parent, window: window, plugins: words[2])
  }
}
