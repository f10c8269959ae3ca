// What comes in on `PREFIX/command`: a line of the console, or not, and not too many. A value; the integration's one thread.

import Console
import Platform
import PlaybackModel

/// Lets through what plays, sounds, fills the queue and asks; nothing that sets the box up, and nothing that concerns a session.
package struct MQTTCommandGate: Sendable {
  /// Commands at once; then `perSecond`.
  package static let burst = 20
  /// Commands a second, in the long run.
  package static let perSecond = 10
  /// Answers that may be due.
  package static let maxWaiting = 16

  /// What is to be done with a message.
  package enum Verdict: Hashable, Sendable {
    /// It goes to the box. What may have to wait for storage keeps nothing else waiting.
    case give([String], mayWait: Bool)
    /// It is answered with a sentence.
    case refuse(String)
    /// It is dropped without a word, as one of too many.
    case drop
  }

  private static let second: UInt64 = 1_000_000_000
  /// Time that is left to be spent on commands, and as of when.
  private var credit = UInt64(burst) * second / UInt64(perSecond)
  private var creditAt: UInt64 = 0
  /// Whether somebody was told that there were too many since there were not.
  private var hasComplained = false
  /// Dropped since the start.
  package private(set) var dropped = 0

  /// Nothing has come in so far.
  package init() {}

  /// Looks at a message. A retained one was for whoever listened then: it would play at each start.
  package mutating func admit(
    _ payload: [UInt8], isRetained: Bool, waiting: Int, at now: UInt64
  ) -> Verdict {
    let cost = Self.second / UInt64(Self.perSecond)
    credit = min(UInt64(Self.burst) * cost, credit + (now > creditAt ? now - creditAt : 0))
    creditAt = max(now, creditAt)
    guard credit >= cost, waiting < Self.maxWaiting else {
      dropped += 1
      if hasComplained { return .drop }
      hasComplained = true
      return .refuse(
        "there are too many commands: \(Self.perSecond) a second are taken, and the others are dropped")
    }
    credit -= cost
    if credit > UInt64(Self.burst) * cost / 2 { hasComplained = false }
    if isRetained {
      return .refuse(
        "the message was retained, so that it would come again and again; publish commands without 'retain'")
    }
    return Self.judge(payload)
  }

  private static func judge(_ payload: [UInt8]) -> Verdict {
    guard payload.count <= CommandLineText.maxTypedBytes else {
      return .refuse("a command has \(CommandLineText.maxTypedBytes) bytes at most")
    }
    do throws(ConsoleError) {
      guard let command = try Interpreter.parse(payload) else {
        return .refuse("the message holds no command")
      }
      let words = try CommandLineText(payload).words.map { $0.text }
      switch command.networkReach {
      case .atOnce: return .give(words, mayWait: false)
      case .storage: return .give(words, mayWait: true)
      case .none:
        return .refuse(
          "'\(words.first ?? "")' is not for MQTT, which plays and asks but does not set up the box; use the console"
        )
      }
    } catch {
      return .refuse(error.sentence)
    }
  }
}

/// What is published on `PREFIX/answer`.
package enum MQTTAnswer {
  /// Bytes of an answer's rows.
  static let maxRows = 16 * 1024
  /// Bytes of a command that are told again.
  static let maxCommandLength = 200

  /// The box's answer to a command.
  package static func document(_ payload: [UInt8], _ answer: BoxAnswer) -> [UInt8] {
    switch answer {
    case .done(let fields, let rows):
      var writer = begin(payload, isOK: true)
      writer.add("fields", fields.all.map { Field($0.name, $0.value) })
      var (size, left) = (0, rows.count)
      writer.beginList("rows")
      for row in rows {
        size += row.all.reduce(0) { $0 + $1.name.utf8.count + min($1.value.utf8.count, 2048) }
        guard size <= maxRows else { break }
        writer.addElement(row.all.map { Field($0.name, $0.value) })
        left -= 1
      }
      writer.endList()
      if left > 0 { writer.add("left-off", .integer(left)) }
      return writer.finished
    case .refused(let sentence): return refusal(payload, sentence)
    case .gone: return refusal(payload, "the box does not answer")
    }
  }

  /// A refusal.
  package static func refusal(_ payload: [UInt8], _ sentence: String) -> [UInt8] {
    var writer = begin(payload, isOK: false)
    writer.add("error", .text(sentence))
    return writer.finished
  }

  private static func begin(_ payload: [UInt8], isOK: Bool) -> JSONWriter {
    var writer = JSONWriter()
    let command = String(decoding: payload.prefix(maxCommandLength), as: UTF8.self)
    writer.add("command", .text(command.printable(limit: maxCommandLength)))
    writer.add("ok", .isOn(isOK))
    return writer
  }
}
