// Main function of the index processes: each answers one query or runs one update, then exits. They may block on
// storage indefinitely; the parent kills them after a timeout.

import CLinux
import Decoding
import Platform

/// The hidden subcommand `library`, which writes its answer to standard output.
package enum LibraryMain {
  /// Runs the task in the arguments.
  ///
  /// - Parameter words: Arguments after the subcommand: the parent's process id and the task.
  /// - Returns: The exit status.
  package static func run(_ words: [String]) -> Int32 {
    guard let parent = words.first.flatMap({ Int32($0) }), let task = LibraryTask(words.dropFirst())
    else {
      TextOutput.standardError.line("swiftlet library: started by the engine, not by hand")
      return 64
    }
    guard ChildProcess.dieWithParent(parent) else { return 1 }
    let output = FileDescriptor(owning: 1)
    let bytes: [UInt8]
    switch task {
    case .ask(let file, let roots, let verb, let words):
      bytes = answer(verb, words, in: file, within: roots).bytes
    case .update(let file, let root, let isAfresh):
      clinux_yield_to_others()
      bytes = update(file, root, isAfresh: isAfresh, to: output).bytes
    }
    do throws(SystemError) {
      try output.writeAll(bytes)
      return 0
    } catch {
      return 1
    }
  }

  private static func answer(
    _ verb: LibraryVerb, _ words: [String], in file: String, within roots: [String]
  ) -> LibraryAnswer {
    let question: LibraryQuestion
    do throws(LibraryFault) {
      question = try LibraryQuestion(verb, words)
    } catch {
      return .refused(error.sentence)
    }
    do throws(LibraryFault) {
      guard let index = try LibraryIndex.open(file) else { return .missing }
      return try index.answer(to: question, within: roots)
    } catch {
      return .fault(error.sentence, isBroken: error.isBroken)
    }
  }

  private static func update(
    _ file: String, _ root: String, isAfresh: Bool, to output: borrowing FileDescriptor
  ) -> LibraryUpdateReport {
    let raw = output.raw
    var said = MonotonicClock.now()
    do throws(LibraryFault) {
      let index = try LibraryIndex.openOrMake(file)
      if isAfresh { try index.clear() }
      let update = LibraryUpdate(index, root: root) {
        // A progress byte, which `LibraryUpdateReport` skips.
        let now = MonotonicClock.now()
        guard now - said > 1_000_000_000 else { return }
        said = now
        var zero: UInt8 = 0
        _ = write(raw, &zero, 1)
      }
      return .done(try update.run())
    } catch {
      return .fault(error.sentence)
    }
  }
}
