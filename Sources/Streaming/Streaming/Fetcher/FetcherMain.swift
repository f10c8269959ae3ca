// Entry point of the fetcher process: receives its request, loads a plugin, enters the sandbox, and connects.
// The only process of Swiftlet that downloads streams.

import CLinux
import Platform

/// The hidden subcommand `fetch`.
///
/// Descriptors: 0 and 1 /dev/null; 2 the engine's stderr, closed by the sandbox; 3 the engine's socket; 4 the
/// worker's; 5 the spool.
package enum FetcherMain {
  /// Timeout for the request in milliseconds.
  private static let orderMilliseconds: Int32 = 5000

  /// Whether the arguments are those of a fetcher.
  ///
  /// - Parameter arguments: The process's arguments, including its name.
  package static func isAsked(_ arguments: [String]) -> Bool {
    arguments.prefix(2).elementsEqual(FetcherArguments.name)
      && FetcherArguments(Array(arguments.dropFirst(2))) != nil
  }

  /// Runs the fetcher.
  ///
  /// - Parameter words: The arguments after `swiftlet fetch`.
  /// - Returns: The exit status.
  package static func run(_ words: [String]) -> Int32 {
    let given = FetcherArguments(words)
    if let status = HelperMain.refusal(of: "fetch", parent: given?.parent) { return status }
    guard let arguments = given else { return HelperMain.usage }
    let engine = MessageSocket(FileDescriptor(owning: FetcherSandbox.engine))
    let worker = MessageSocket(FileDescriptor(owning: FetcherSandbox.worker))
    guard let order = order(from: engine), let spool = spool(arguments) else { return 1 }
    FetchLoop(order, FetcherLink(spool, engine: engine, worker: worker)).run(plugins: arguments.plugins)
    // Exits without running destructors, because those of plugins and their libraries are untrusted.
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

/// The command line of a fetcher. Contains nothing secret.
struct FetcherArguments: Equatable {
  let parent: Int32
  let window: Int
  var plugins: String

  /// The first two arguments of every fetcher, independent of the program's file name.
  static let name = ["swiftlet", "fetch"]

  init(parent: Int32, window: Int, plugins: String) {
    (self.parent, self.window, self.plugins) = (parent, window, plugins)
  }

  /// The arguments for execve(2).
  var words: [String] { Self.name + ["\(parent)", "\(window)", plugins] }

  /// Parses the arguments after the subcommand; nil if they are invalid.
  init?(_ words: [String]) {
    guard words.count == 3, let parent = Int32(words[0]), let window = Int(words[1]), window >= 65_536,
      window <= 64 << 20, window & (window - 1) == 0
    else { return nil }
    self.init(parent: parent, window: window, plugins: words[2])
  }
}
