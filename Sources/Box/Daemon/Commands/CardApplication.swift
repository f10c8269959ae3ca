// Applies a card's configuration file to that of the box, in an order that survives a power cut at each step. The program's main thread,
// in a process of its own before the daemon starts; waits for storage.

import Console
import Platform

/// Files that a card's configuration is applied to.
package protocol CardStore: FileStore {
  /// Removes a file, if it is there.
  func remove(_ path: String) throws(SystemError)
  /// The names of all boards.
  var boardNames: [String] { get }
  /// Why a time zone cannot be used, to follow the setting's name; nil: it can.
  func refusal(ofTimeZone name: String) -> String?
}

/// The files of one application.
package struct CardApplication: Sendable {
  /// The result of a run.
  package enum Outcome: Hashable, Sendable {
    /// The card has no file, an empty one, or the one that was applied last.
    case nothingToDo
    /// The box has the card's lines, but for those that are wrong; notes tell of the report's file.
    case applied(problems: [CardConfiguration.Problem], notes: [String])
    /// Nothing was applied, and why.
    case failed(String)
  }

  /// The card's file.
  package var card = ""
  /// The box's configuration file.
  package var box = ""
  /// The copy of the card's file that was applied last.
  package var former = ""
  /// Where wrong lines are reported; nil: nowhere but in the outcome.
  package var report: String?

  /// No paths yet.
  package init() {}

  private static let limit = Configuration.maxFileBytes + 1

  /// Applies the card's file. Each step leaves old or new contents, and the copy is written last: after a power cut the next run
  /// finishes.
  package func run(in files: any CardStore) -> Outcome {
    let bytes: [UInt8]
    let applied: [UInt8]?
    do throws(SystemError) {
      guard let found = try Self.contents(card, files), !CardText.isBlank(found) else { return .nothingToDo }
      bytes = found
      applied = try Self.contents(former, files)
    } catch {
      return refuse(ConsoleError(.failed, "it cannot be read: " + error.description), files)
    }
    guard bytes != applied else { return .nothingToDo }
    let result: CardConfiguration
    do throws(SystemError) {
      let old = try Self.contents(box, files)
      do throws(ConsoleError) {
        result = try CardConfiguration(
          card: bytes, former: applied ?? [], box: old ?? [], boards: files.boardNames,
          profile: { files.boardProfile($0) },
          refusal: { setting, value in
            guard setting == .clockTimezone, case .text(let name) = value else { return nil }
            return files.refusal(ofTimeZone: name)
          })
      } catch {
        return refuse(error, files)
      }
      if result.file != old ?? [] { try replace(old, with: result, files) }
    } catch {
      return refuse(
        ConsoleError(.failed, "the configuration of the box was not changed: " + error.description), files)
    }
    var notes: [String] = []
    do throws(SystemError) {
      try write(result.problems, files)
    } catch {
      notes.append("the report was not written: " + error.description)
    }
    do throws(SystemError) {
      try files.replace(former, with: bytes, isPrivate: true)
    } catch {
      return .failed(
        "the lines of " + card + " are in " + box
          + ", but the copy was not written, so they are applied again at the next start: "
          + error.description)
    }
    return .applied(problems: result.problems, notes: notes)
  }

  /// A file's contents; nil where there is none.
  private static func contents(_ path: String, _ files: any CardStore) throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      return try files.read(path, limit: limit)
    } catch {
      guard error.code == SystemError.noSuchFile else { throw error }
      return nil
    }
  }

  private func replace(
    _ old: [UInt8]?, with result: CardConfiguration, _ files: any CardStore
  ) throws(SystemError) {
    if let old {
      let hadPIN = Configuration(old) { files.boardProfile($0) }.settings.consolePIN != nil
      try files.replace(box + ".bak", with: old, isPrivate: hadPIN)
    }
    try files.replace(box, with: result.file, isPrivate: result.hasPIN)
  }

  /// Nothing of the file is used: says so on the card, too.
  private func refuse(_ error: ConsoleError, _ files: any CardStore) -> Outcome {
    do throws(SystemError) {
      try write([CardConfiguration.Problem(error)], files)
    } catch {
      return .failed(card + " was not applied, and no report was written: " + error.description)
    }
    return .failed(card + " was not applied: " + error.sentence)
  }

  /// Writes or removes the report, where that changes anything: a card wears.
  private func write(
    _ problems: [CardConfiguration.Problem], _ files: any CardStore
  ) throws(SystemError) {
    guard let report else { return }
    guard !problems.isEmpty else { return try files.remove(report) }
    let text = CardConfiguration.report(problems, name: Self.name(of: card))
    if try Self.contents(report, files) != text { try files.replace(report, with: text, isPrivate: false) }
  }

  private static func name(of path: String) -> String {
    String(decoding: path.utf8.reversed().prefix { $0 != 0x2F }.reversed(), as: UTF8.self)
  }
}
