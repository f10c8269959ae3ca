// What a command of MPD's protocol comes to: decisions are functions, and what they want of the box is data. Pure.

/// What is to be done for a command.
package indirect enum MPDPlan {
  /// It is done, and this is to be said.
  case answer(MPDLines)
  /// The client has said goodbye.
  case close
  /// The client has given a password.
  case login(isRight: Bool)
  /// Waits until one of these subsystems has changed.
  case idle([MPDSubsystem])
  /// A message for the clients that listen to a channel.
  case tell(channel: String, String)
  /// Which channels clients listen to.
  case listChannels
  /// Something is to be asked of the box, and what follows from the answer. What may have to wait for storage keeps others from
  /// nothing.
  case ask([String], mayWait: Bool, then: (BoxAnswer) throws(MPDRefusal) -> MPDPlan)
  /// The queue has to be known as it is now.
  case withQueue((MPDFacts) throws(MPDRefusal) -> MPDPlan)
  /// The same, and what the index knows of the files in it: for those who are shown tags.
  case withTags((MPDFacts) throws(MPDRefusal) -> MPDPlan)
  /// The settings have to be known that clients see.
  case withSettings((MPDFacts) throws(MPDRefusal) -> MPDPlan)
  /// Changes what the server itself remembers.
  case keep((inout MPDOwnOptions) -> Void, then: MPDPlan)
  /// Clients are told that these have changed, unless the box has told so since the command began: MPD does for some commands, whether they
  /// change anything or not.
  case ensureTold([MPDSubsystem], then: MPDPlan)
  /// Nothing more to do or to say.
  static var done: MPDPlan { .answer(MPDLines()) }

  /// What a command ends with that MPD tells of in any case.
  static func told(_ subsystems: MPDSubsystem...) -> MPDPlan { .ensureTold(subsystems, then: .done) }

  /// Gives a command and is done when it was.
  ///
  /// - Parameters:
  ///   - fault: The kind of a refusal.
  ///   - text: MPD's words for a refusal; nil: the box's, as far as they suit a client.
  static func order(
    _ words: [String], mayWait: Bool = false, fault: MPDFault = .player, text: String? = nil,
    then: @escaping (BoxFields) throws(MPDRefusal) -> MPDPlan = { (fields) throws(MPDRefusal) in .done }
  ) -> MPDPlan {
    .ask(words, mayWait: mayWait) { (answer) throws(MPDRefusal) in
      try then(try answer.rows(orRefuse: fault, text).fields)
    }
  }

  /// Asks for a list. `isOptional`: where there is none, nothing is in it.
  static func list(
    _ words: [String], mayWait: Bool = false, fault: MPDFault = .noSuchThing, text: String? = nil,
    isOptional: Bool = false, then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    .ask(words, mayWait: mayWait) { (answer) throws(MPDRefusal) in
      guard isOptional else { return try then(try answer.rows(orRefuse: fault, text).rows) }
      if case .done(_, let rows) = answer { return try then(rows) }
      return try then([])
    }
  }

  /// Gives a command that adds to the queue. What did not fit is refused, as in MPD, which keeps what did.
  static func adding(
    _ words: [String], fault: MPDFault = .noSuchThing, text: String? = nil,
    then: @escaping (BoxFields) throws(MPDRefusal) -> MPDPlan = { (fields) throws(MPDRefusal) in .done }
  ) -> MPDPlan {
    .order(words, mayWait: true, fault: fault, text: text) { (fields) throws(MPDRefusal) in
      guard fields["left-out"] != nil else { return try then(fields) }
      throw MPDRefusal.queueFull
    }
  }

  /// Gives commands that add to the queue, one after another.
  static func addingAll(_ lines: ArraySlice<[String]>) -> MPDPlan {
    guard let first = lines.first else { return .done }
    return .adding(first) { (_) throws(MPDRefusal) in .addingAll(lines.dropFirst()) }
  }

  /// Gives commands one after another.
  static func orders(
    _ lines: [[String]], mayWait: Bool = false, fault: MPDFault = .player, then: MPDPlan = .done
  ) -> MPDPlan {
    guard let first = lines.first else { return then }
    return order(first, mayWait: mayWait, fault: fault) { (_) throws(MPDRefusal) in
      .orders(Array(lines.dropFirst()), mayWait: mayWait, fault: fault, then: then)
    }
  }
}

extension BoxAnswer {
  /// What the box has answered; what it refuses is refused, in a client's words.
  func rows(
    orRefuse fault: MPDFault, _ text: String? = nil
  ) throws(MPDRefusal) -> (fields: BoxFields, rows: [BoxFields]) {
    switch self {
    case .done(let fields, let rows): return (fields, rows)
    case .refused(let sentence): throw .box(sentence, fault, text)
    case .gone: throw .gone
    }
  }
}

/// What is known of the box.
package struct MPDFacts: Sendable {
  var queue = QueueMirror()
  /// What the index knows of the files in it.
  var tags = QueueTags()
  var media = MediaPath(roots: [])
  /// `fade.length`, in seconds.
  var crossfade = "0"
  /// Whether the box has an index of its music.
  var hasLibrary = false
  /// `gain.mode`: off, track or album.
  var gainMode = "off"
  /// Whether `crossfade`, `gainMode` and `media` are what is set.
  var areSettingsKnown = false
  /// What no box knows of.
  var own = MPDOwnOptions()
}

/// Options of MPD that a box has no words for: the server remembers them, for all clients, until it ends.
package struct MPDOwnOptions: Hashable, Sendable {
  /// Whether a song alone is repeated once the queue is: MPD has two switches for what a box has three words for.
  var isSingle = false
  /// The level at which songs would overlap, in decibels, as `status` tells it.
  var mixRampLevel = "0"
}
