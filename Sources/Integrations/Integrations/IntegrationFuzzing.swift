// Fuzzing entry points for the integrations' parsers. Not used by the daemon.

import Console

/// Feeds arbitrary bytes to the parsers of client lines, broker messages and the daemon's answers.
package enum IntegrationFuzzing {
  private static let maxSteps = 200

  /// Parses `bytes` as answers of the daemon.
  package static func answers(_ bytes: [UInt8]) {
    var reader = BoxAnswerReader()
    for chunk in stride(from: 0, to: bytes.count, by: 61) {
      _ = reader.take(Array(bytes[chunk..<min(chunk + 61, bytes.count)]))
    }
  }

  /// Processes `bytes` as MQTT messages separated by zero bytes; the first byte of each selects topic and retain
  /// flag. Every resulting document must be a JSON object on one line.
  package static func messages(_ bytes: [UInt8]) {
    let topics = MQTTTopics(
      MQTTOptions(host: "h", prefix: "p", name: "n", identity: "0123456789abcdef", version: "1"))
    var gate = MQTTCommandGate()
    var reader = IntegrationReportReader()
    var now: UInt64 = 0
    for message in bytes.split(separator: 0, omittingEmptySubsequences: false) {
      let kind = message.first ?? 0
      let payload = Array(message.dropFirst())
      now += UInt64(kind) * 1_000_000
      _ = topics.isDocument(String(decoding: payload, as: UTF8.self))
      _ = reader.take(payload)
      switch gate.admit(payload, isRetained: kind & 1 == 1, waiting: Int(kind >> 4), at: now) {
      case .drop: break
      case .refuse(let sentence): check(MQTTAnswer.refusal(payload, sentence))
      case .give(let command):
        precondition((try? Interpreter.parse(command.line)) != nil, "the box reads the command")
        var fields = BoxFields()
        fields.add(BoxField(name: "state", value: String(decoding: payload, as: UTF8.self)))
        check(MQTTAnswer.document(payload, .done(fields, rows: [fields])))
        check(MQTTState.state(fields))
      }
    }
  }

  /// Checks that a command without control characters is a line, which the box reads as that command or refuses.
  private static func checkLine(_ command: Command) {
    let line = command.line
    precondition(!line.utf8.isEmpty && !line.utf8.contains(0x0A), "a command is one line")
    if let read = try? Interpreter.parse(line) {
      precondition(read == command, "the box reads the same command")
    }
  }

  private static func check(_ document: [UInt8]) {
    precondition(
      document.first == 0x7B && document.last == 0x7D && !document.contains { $0 < 0x20 },
      "an object on a line")
  }

  /// Runs the lines before the first empty line as an MPD client's, with the remaining bytes as the daemon's answers.
  /// Traps only on a bug.
  package static func client(_ bytes: [UInt8]) {
    let parts = split(bytes)
    var reader = BoxAnswerReader()
    let answers = reader.take(parts.box + [0x0A]) + [.gone, .refused("no"), .done(BoxFields(), rows: [])]
    var facts = MPDFacts()
    for case .done(_, let rows) in answers {
      facts.queue.adopt(rows.compactMap { QueueEntry($0) }, revision: 1)
      if let first = facts.queue.entries.first { facts.tags.learn(rows, askedFor: first.path) }
      facts.queue.fill(from: facts.tags)
      facts.media = MediaPath(roots: rows.compactMap { $0["path"] })
    }
    var session = MPDSession(MPDAccess(password: nil))
    var list = MPDCommandList()
    var turn = 0
    for line in parts.client.split(separator: 0x0A) {
      guard case .begin(let lines, _, _) = list.take(Array(line)) else { continue }
      for line in lines {
        do throws(MPDRefusal) {
          var plan = try MPDCommand.plan(try MPDRequest(line), &session)
          for _ in 0..<maxSteps {
            guard let next = try step(plan, facts, answers[turn % answers.count]) else { break }
            turn += 1
            plan = next
          }
          if case .answer(let lines) = plan { precondition(isPairs(lines.bytes), "each line is a pair") }
        } catch {
          let line = error.line(command: "", index: 0)
          precondition(line.utf8.last == 0x0A, "a refusal is a line")
        }
      }
    }
  }

  private static func step(
    _ plan: MPDPlan, _ facts: MPDFacts, _ answer: BoxAnswer
  ) throws(MPDRefusal) -> MPDPlan? {
    switch plan {
    case .answer, .close, .idle, .tell, .listChannels, .login: return nil
    case .keep(_, let then), .ensureTold(_, let then): return then
    case .ask(let command, let then):
      guard CommandLineText.canHold(command.line) else { return try then(.refused(BoxLink.unspeakable)) }
      checkLine(command)
      return try then(answer)
    case .change(let compute):
      let change = try compute(facts)
      checkLine(.queue(.edits(change.edits, ofVersion: 1)))
      return change.isAlwaysTold ? .told(.playlist) : .done
    case .withQueue(let then), .withTags(let then), .withSettings(let then): return try then(facts)
    }
  }

  private static func isPairs(_ bytes: [UInt8]) -> Bool {
    bytes.isEmpty || bytes.last == 0x0A && bytes.split(separator: 0x0A).allSatisfy { $0.contains(0x3A) }
  }

  private static func split(_ bytes: [UInt8]) -> (client: [UInt8], box: [UInt8]) {
    for i in bytes.indices.dropLast() where bytes[i] == 0x0A && bytes[i + 1] == 0x0A {
      return (Array(bytes[..<i]), Array(bytes[(i + 2)...]))
    }
    return (bytes, [])
  }
}
