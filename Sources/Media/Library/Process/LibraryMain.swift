// Main function of the index processes: each answers one query or runs one update, then exits. They may block on
// storage indefinitely; the parent kills them after a timeout.

import CLinux
import Decoding
import Platform

/// The hidden subcommands `library` and `library-update`, which write their answers to standard output.
package enum LibraryMain {
  /// Answers the query in the arguments.
  ///
  /// - Parameter words: Arguments after the subcommand: the parent's process id and the task.
  /// - Returns: The exit status.
  package static func answer(_ words: [String]) -> Int32 {
    HelperMain.run(words) { (request: LibraryRequest) in
      answer(request.verb, request.arguments, in: request.file, within: request.roots)
    }
  }

  /// Runs the update in the arguments.
  ///
  /// - Parameter words: Arguments after the subcommand: the parent's process id and the task.
  /// - Returns: The exit status.
  package static func update(_ words: [String]) -> Int32 {
    HelperMain.run(words) { (task: LibraryUpdateTask) in update(task) }
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

  private static func update(_ task: LibraryUpdateTask) -> LibraryUpdateReport {
    var said = MonotonicClock.now()
    do throws(LibraryFault) {
      let index = try LibraryIndex.openOrMake(task.file)
      if task.isAfresh { try index.clear() }
      let update = LibraryUpdate(index, root: task.root) {
        // A progress byte, which `LibraryUpdateReport` skips.
        let now = MonotonicClock.now()
        guard now - said > 1_000_000_000 else { return }
        said = now
        var zero: UInt8 = 0
        _ = write(1, &zero, 1)
      }
      return .done(try update.run())
    } catch {
      return .fault(error.sentence)
    }
  }
}
