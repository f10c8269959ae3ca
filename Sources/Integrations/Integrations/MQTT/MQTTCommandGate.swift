// Filters console commands received on `PREFIX/command`: limits their rate and refuses those that are not allowed
// over MQTT. A value; the integration's single thread.

import Console
import Platform
import PlaybackModel

/// Allows commands that play, change the sound, edit the queue or query; refuses configuration and session commands.
package struct MQTTCommandGate: Sendable {
  /// Number of commands allowed in a burst.
  package static let burst = 20
  /// Sustained rate of commands per second.
  package static let perSecond = 10
  /// Maximum number of unanswered commands.
  package static let maxWaiting = 16

  /// The decision about a message.
  package enum Verdict: Hashable, Sendable {
    /// Send the command to the daemon.
    case give(Command)
    /// Publish a refusal with this reason.
    case refuse(String)
    /// Ignore the message.
    case drop
  }

  private static let second: UInt64 = 1_000_000_000
  /// Token bucket: unspent time in nanoseconds, and when it was computed.
  private var credit = UInt64(burst) * second / UInt64(perSecond)
  private var creditAt: UInt64 = 0
  /// Whether a refusal for the rate limit was already sent for this burst.
  private var hasComplained = false
  /// Number of messages dropped since the start.
  package private(set) var dropped = 0

  /// A gate with a full burst allowance.
  package init() {}

  /// Decides about a message. Retained messages are refused, because they would be delivered again on each
  /// connection.
  ///
  /// - Parameters:
  ///   - payload: The message's payload.
  ///   - isRetained: Whether the message was retained.
  ///   - waiting: The number of unanswered commands.
  ///   - now: The present time in nanoseconds.
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
      guard command.properties.uses.contains(.network) else {
        let word = try CommandLineText(payload).words.first?.text ?? ""
        return .refuse(
          "'\(word)' is not for MQTT, which plays and asks but does not set up the box; use the console")
      }
      return .give(command)
    } catch {
      return .refuse(error.sentence)
    }
  }
}

/// The JSON documents published on `PREFIX/answer`.
package enum MQTTAnswer {
  /// Maximum bytes of an answer's rows.
  static let maxRows = 16 * 1024
  /// Maximum bytes of the command repeated in its answer.
  static let maxCommandLength = 200

  /// The document for the daemon's answer to a command.
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
    case .refused(let sentence), .outdated(let sentence): return refusal(payload, sentence)
    case .gone: return refusal(payload, "the box does not answer")
    }
  }

  /// The document for a refused command.
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
