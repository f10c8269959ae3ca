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
  /// Nothing more to do or to say.
  static var done: MPDPlan { .answer(MPDLines()) }

  /// Gives a command and is done when it was; what the box refuses is refused, in these words or the box's own.
  static func order(
    _ words: [String], mayWait: Bool = false, fault: MPDFault = .player,
    then: @escaping (BoxFields) throws(MPDRefusal) -> MPDPlan = { (fields) throws(MPDRefusal) in .done }
  ) -> MPDPlan {
    .ask(words, mayWait: mayWait) { (answer) throws(MPDRefusal) in
      try then(try answer.rows(orRefuse: fault).fields)
    }
  }

  /// Asks for a list. `isOptional`: where there is none, nothing is in it.
  static func list(
    _ words: [String], mayWait: Bool = false, fault: MPDFault = .noSuchThing, isOptional: Bool = false,
    then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    .ask(words, mayWait: mayWait) { (answer) throws(MPDRefusal) in
      guard isOptional else { return try then(try answer.rows(orRefuse: fault).rows) }
      if case .done(_, let rows) = answer { return try then(rows) }
      return try then([])
    }
  }

  /// Gives a command that adds to the queue. What did not fit is refused, as in MPD, which keeps what did.
  static func adding(
    _ words: [String], fault: MPDFault = .noSuchThing,
    then: @escaping (BoxFields) throws(MPDRefusal) -> MPDPlan = { (fields) throws(MPDRefusal) in .done }
  ) -> MPDPlan {
    .order(words, mayWait: true, fault: fault) { (fields) throws(MPDRefusal) in
      guard let leftOut = fields["left-out"] else { return try then(fields) }
      throw MPDRefusal(.queueFull, "playlist is too large: \(leftOut) songs were left out")
    }
  }

  /// Gives commands that add to the queue, one after another.
  static func addingAll(_ lines: ArraySlice<[String]>) -> MPDPlan {
    guard let first = lines.first else { return .done }
    return .adding(first) { (_) throws(MPDRefusal) in .addingAll(lines.dropFirst()) }
  }

  /// Gives commands one after another.
  static func orders(_ lines: [[String]], mayWait: Bool = false, fault: MPDFault = .player) -> MPDPlan {
    guard let first = lines.first else { return .done }
    return order(first, mayWait: mayWait, fault: fault) { (_) throws(MPDRefusal) in
      .orders(Array(lines.dropFirst()), mayWait: mayWait, fault: fault)
    }
  }
}

extension BoxAnswer {
  /// What the box has answered; what it refuses is refused, in its own words.
  func rows(orRefuse fault: MPDFault) throws(MPDRefusal) -> (fields: BoxFields, rows: [BoxFields]) {
    switch self {
    case .done(let fields, let rows): return (fields, rows)
    case .refused(let sentence): throw .box(sentence, fault)
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
}
