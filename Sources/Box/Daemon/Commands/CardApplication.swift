// Merges the configuration file of an SD card into the box's configuration, in steps that survive a power cut. Runs on
// the main thread of `swiftlet card`, a process before the daemon; may block on storage.

import Console
import Platform

/// File operations needed to apply a card's configuration.
package protocol CardStore: FileStore {
  /// Removes a file; no error if it does not exist.
  func remove(_ path: String) throws(SystemError)
  /// Names of all supported boards.
  var boardNames: [String] { get }
  /// Checks a time zone name.
  ///
  /// - Returns: Why it cannot be used, phrased to follow the setting's name; nil if it can.
  func refusal(ofTimeZone name: String) -> String?
  /// Checks a group of the operating system.
  ///
  /// - Returns: Why it cannot be used, phrased to follow the setting's name; nil if it exists.
  func refusal(ofGroup name: String) -> String?
}

extension CardStore {
  /// Default: every group exists.
  package func refusal(ofGroup name: String) -> String? { nil }
}

/// Paths for one merge of a card's configuration file.
package struct CardApplication: Sendable {
  /// Result of `run`.
  package enum Outcome: Hashable, Sendable {
    /// The card has the file that was applied last, or none and none was applied.
    case nothingToDo
    /// The card's valid lines are in the box's configuration; `problems` lists the invalid ones, `notes` a report that
    /// was not written.
    case applied(problems: [CardConfiguration.Problem], notes: [String])
    /// Nothing was applied; the message says why.
    case failed(String)
  }

  /// Path of the card's file.
  package var card = ""
  /// Path of the box's configuration file.
  package var box = ""
  /// Path of the copy of the card file that was applied last.
  package var former = ""
  /// Path of the report about invalid lines; nil: only the outcome lists them.
  package var report: String?

  /// Creates a value with empty paths.
  package init() {}

  private static let limit = Configuration.maxFileBytes + 1

  /// Applies the card's file; a missing one is a file without lines. Each step replaces a file atomically and the copy is written last, so that after a power
  /// cut the next run repeats the merge.
  ///
  /// - Parameter files: Storage of the card and the box.
  package func run(in files: any CardStore) -> Outcome {
    let found: [UInt8]?
    let applied: [UInt8]?
    do throws(SystemError) {
      found = try Self.contents(card, files)
      applied = try Self.contents(former, files)
    } catch {
      return refuse(ConsoleError(.failed, "it cannot be read: " + error.description), files)
    }
    let bytes = found ?? []
    guard found != applied else { return renewReport(bytes, files) }
    if applied == nil, CardText.isBlank(bytes) { return renewReport(bytes, files) }
    let result: CardConfiguration
    do throws(SystemError) {
      let old = try Self.contents(box, files)
      do throws(ConsoleError) {
        result = try Self.merged(bytes, applied, old, files)
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
      if found == nil {
        try files.remove(former)
      } else {
        try files.replace(former, with: bytes, isPrivate: true)
      }
    } catch {
      return .failed(
        "the lines of " + card + " are in " + box
          + ", but the copy was not written, so they are applied again at the next start: "
          + error.description)
    }
    return .applied(problems: result.problems, notes: notes)
  }

  /// Contents of a file; nil if it does not exist.
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
      let hadSecret = !Configuration(old) { files.boardProfile($0) }.settings.secrets.isEmpty
      try files.replace(box + ".bak", with: old, isPrivate: hadSecret)
    }
    try files.replace(box, with: result.file, isPrivate: result.hasSecret)
  }

  private static func merged(
    _ card: [UInt8], _ former: [UInt8]?, _ box: [UInt8]?, _ files: any CardStore
  ) throws(ConsoleError) -> CardConfiguration {
    try CardConfiguration(
      card: card, former: former ?? [], box: box ?? [], boards: files.boardNames,
      profile: { files.boardProfile($0) },
      refusal: { setting, value in
        guard case .text(let name) = value else { return nil }
        return switch setting.names {
        case .timeZone: files.refusal(ofTimeZone: name)
        case .group: files.refusal(ofGroup: name)
        default: nil
        }
      })
  }

  /// Corrects a report that is about another file than the one that was applied last: a file that was rejected as a
  /// whole, and that the user has taken back, emptied or deleted. Changes nothing else.
  private func renewReport(_ bytes: [UInt8], _ files: any CardStore) -> Outcome {
    do throws(SystemError) {
      guard let report, try Self.contents(report, files) != nil else { return .nothingToDo }
      let old = try Self.contents(box, files)
      guard let result = try? Self.merged(bytes, bytes, old, files) else { return .nothingToDo }
      try write(result.problems, files)
    } catch {
      return .failed("the report was not written: " + error.description)
    }
    return .nothingToDo
  }

  /// Reports that the whole file was rejected, on the card as well.
  private func refuse(_ error: ConsoleError, _ files: any CardStore) -> Outcome {
    do throws(SystemError) {
      try write([CardConfiguration.Problem(error)], files)
    } catch {
      return .failed(card + " was not applied, and no report was written: " + error.description)
    }
    return .failed(card + " was not applied: " + error.sentence)
  }

  /// Writes or removes the report, but only if its contents change, to save write cycles of the card.
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
