// The main function of helper processes. Runs on their main thread.

import CLinux

/// The beginning of a helper process, and the whole of one that performs a `HelperTask`.
package enum HelperMain {
  /// The exit status of a process that was started with wrong arguments (EX_USAGE of sysexits.h).
  package static let usage: Int32 = 64

  /// Lets the process end with its parent, before it does anything else.
  ///
  /// - Parameters:
  ///   - subcommand: The hidden subcommand.
  ///   - parent: Process id of the parent; nil if the arguments are wrong.
  ///   - usage: The exit status for wrong arguments.
  /// - Returns: The exit status if the process must end at once.
  package static func refusal(of subcommand: String, parent: Int32?, usage: Int32 = usage) -> Int32? {
    guard let parent else {
      TextOutput.standardError.line("swiftlet \(subcommand): started by the engine, not by hand")
      return usage
    }
    return ChildProcess.dieWithParent(parent) ? nil : 1
  }

  /// Performs a task and writes the answer to the standard output.
  ///
  /// - Parameters:
  ///   - words: The arguments after the subcommand: the parent's process id, and the task.
  ///   - perform: Performs the task.
  /// - Returns: The exit status.
  package static func run<Task: HelperTask>(_ words: [String], _ perform: (Task) -> Task.Answer) -> Int32 {
    let task = Task(words.dropFirst())
    let parent = task == nil ? nil : words.first.flatMap { Int32($0) }
    if let status = refusal(of: Task.subcommand, parent: parent) { return status }
    guard let task else { return usage }
    if Task.yieldsToOthers { clinux_yield_to_others() }
    do throws(SystemError) {
      try FileDescriptor(owning: 1).writeAll(perform(task).bytes)
      return 0
    } catch {
      return 1
    }
  }
}
