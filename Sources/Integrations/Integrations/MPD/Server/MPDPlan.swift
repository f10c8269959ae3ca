// The plan of an MPD command: a chain of daemon queries and continuations as data, so that commands are pure
// functions. Pure.

import Console

/// The next step of a command.
package indirect enum MPDPlan {
  /// Send these lines and OK.
  case answer(MPDLines)
  /// Close the connection.
  case close
  /// Answer a password, which is right or wrong.
  case login(isRight: Bool)
  /// Wait for a change of one of these subsystems.
  case idle([MPDSubsystem])
  /// Send a message to the subscribers of a channel.
  case tell(channel: String, String)
  /// List all channels with subscribers.
  case listChannels
  /// Send a command to the daemon and continue with its answer.
  case ask(Command, then: (BoxAnswer) throws(MPDRefusal) -> MPDPlan)
  /// Continue with the current queue.
  case withQueue((MPDFacts) throws(MPDRefusal) -> MPDPlan)
  /// Change the queue and send OK. If the queue has changed meanwhile, the change is computed again.
  case change((MPDFacts) throws(MPDRefusal) -> MPDQueueChange)
  /// Continue with the current queue and the tags of its files from the index.
  case withTags((MPDFacts) throws(MPDRefusal) -> MPDPlan)
  /// Continue with the current settings.
  case withSettings((MPDFacts) throws(MPDRefusal) -> MPDPlan)
  /// Change the options stored by the server itself.
  case keep((inout MPDOwnOptions) -> Void, then: MPDPlan)
  /// Report these subsystems as changed, unless the daemon has done so since the command began. MPD reports some
  /// commands even if they change nothing.
  case ensureTold([MPDSubsystem], then: MPDPlan)
  /// Send OK.
  static var done: MPDPlan { .answer(MPDLines()) }

  /// Report subsystems as changed and send OK.
  static func told(_ subsystems: MPDSubsystem...) -> MPDPlan { .ensureTold(subsystems, then: .done) }

  /// Sends a command to the daemon.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - fault: The error code of a refusal.
  ///   - text: MPD's message for a refusal; nil: the daemon's message, filtered.
  ///   - then: Continues with the answer's fields; by default sends OK.
  static func order(
    _ command: Command, fault: MPDFault = .player, text: String? = nil,
    then: @escaping (BoxFields) throws(MPDRefusal) -> MPDPlan = { (fields) throws(MPDRefusal) in .done }
  ) -> MPDPlan {
    .ask(command) { (answer) throws(MPDRefusal) in
      try then(try answer.rows(orRefuse: fault, text).fields)
    }
  }

  /// Queries rows from the daemon. `isOptional`: a refusal counts as an empty list.
  static func list(
    _ command: Command, fault: MPDFault = .noSuchThing, text: String? = nil, isOptional: Bool = false,
    then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    .ask(command) { (answer) throws(MPDRefusal) in
      guard isOptional else { return try then(try answer.rows(orRefuse: fault, text).rows) }
      if case .done(_, let rows) = answer { return try then(rows) }
      return try then([])
    }
  }

  /// Sends a command that adds to the queue. If the queue becomes full, refuses but keeps the added songs, as MPD
  /// does.
  static func adding(
    _ command: QueueCommand, fault: MPDFault = .noSuchThing, text: String? = nil,
    then: @escaping (BoxFields) throws(MPDRefusal) -> MPDPlan = { (fields) throws(MPDRefusal) in .done }
  ) -> MPDPlan {
    .order(.queue(command), fault: fault, text: text) { (fields) throws(MPDRefusal) in
      guard fields["left-out"] != nil else { return try then(fields) }
      throw MPDRefusal.queueFull
    }
  }

  /// Adds songs to the queue, one after the other: at its end, or from an index on.
  static func addingAll(_ paths: ArraySlice<String>, at index: Int?) throws(MPDRefusal) -> MPDPlan {
    guard let path = paths.first else { return .done }
    func goOn(_: BoxFields) throws(MPDRefusal) -> MPDPlan {
      try .addingAll(paths.dropFirst(), at: index.map { $0 + 1 })
    }
    guard let index else { return .adding(.add(paths: [path]), then: goOn) }
    let position = try QueuePosition(index: index, orRefuse: .noSuchThing)
    return .adding(.insert(position, path: path, part: nil), then: goOn)
  }

  /// Sends several commands in order.
  static func orders(
    _ commands: [Command], fault: MPDFault = .player, then: MPDPlan = .done
  ) -> MPDPlan {
    guard let first = commands.first else { return then }
    return order(first, fault: fault) { (_) throws(MPDRefusal) in
      .orders(Array(commands.dropFirst()), fault: fault, then: then)
    }
  }
}

extension BoxAnswer {
  /// The answer's contents.
  ///
  /// - Throws: A refusal of the daemon, translated for clients.
  func rows(
    orRefuse fault: MPDFault, _ text: String? = nil
  ) throws(MPDRefusal) -> (fields: BoxFields, rows: [BoxFields]) {
    switch self {
    case .done(let fields, let rows): return (fields, rows)
    case .refused(let sentence): throw .box(sentence, fault, text)
    case .outdated: throw .queueKeepsChanging
    case .gone: throw .gone
    }
  }
}

/// A change of the queue, which the daemon carries out as one.
package struct MPDQueueChange {
  /// The parts of the change; empty: nothing changes.
  var edits: [QueueEdit] = []
  /// Whether clients are told of a change even if there is none.
  var isAlwaysTold = false
}

/// The cached state of the daemon.
package struct MPDFacts: Sendable {
  var queue = QueueMirror()
  /// The id of the current entry of the queue, as `status` reports it; nil if there is none, or if its queue has ended.
  var current: Int?
  /// Tags of the queue's files from the index.
  var tags = QueueTags()
  var media = MediaPath(roots: [])
  /// The setting `fade.length` in seconds.
  var crossfade = "0"
  /// Whether the daemon's index is enabled.
  var hasLibrary = false
  /// The setting `gain.mode`: off, track or album.
  var gainMode = "off"
  /// Whether `crossfade`, `gainMode`, `media` and `hasLibrary` are current.
  var areSettingsKnown = false
  /// The options stored by the server itself.
  var own = MPDOwnOptions()
}

/// Options of MPD without an equivalent in the daemon. The server stores them until it ends, for all clients.
package struct MPDOwnOptions: Hashable, Sendable {
  /// Whether `single` is on while `repeat` is off. MPD has two switches, the daemon one setting with three values.
  var isSingle = false
  /// The MixRamp level in decibels, reported by `status` only.
  var mixRampLevel = "0"
}
