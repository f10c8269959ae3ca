// The box at an MQTT broker: what it does is published, commands are carried out, Home Assistant is told what there is. One thread;
// never waits, never grows beyond its limits.

import Platform

/// Publishes a box.
package final class MQTTIntegration {
  /// Retained documents of this box that are taken back on one connection.
  private static let maxTakenBack = 200
  /// Nanoseconds for which retained documents are looked for after a connection.
  private static let search: UInt64 = 30_000_000_000
  /// Nanoseconds between two rounds of documents that Home Assistant asks for by starting.
  private static let betweenRounds: UInt64 = 10_000_000_000

  /// How the connection stands, and whether that is a trouble.
  package var onStanding: (_ text: String, _ isTrouble: Bool) -> Void = { _, _ in }

  private let broker: any MQTTBroker
  private let link: BrokerLink
  private let feed: MQTTFeed
  private let presets: MQTTPresets
  private let box: any BoxCommands
  private let options: MQTTOptions
  private let topics: MQTTTopics
  private let scheduler: any Scheduler
  private let wallClock: () -> Int64
  private let birth: DeadlineTimer
  private let searching: DeadlineTimer
  private var retained = RetainedDocuments()
  private var duty = MQTTDuty()
  private var gate = MQTTCommandGate()

  /// An integration that has not begun. `box` and `broker` outlive it.
  package init(
    _ broker: any MQTTBroker, box: any BoxCommands, _ options: MQTTOptions, scheduler: any Scheduler,
    wallClock: @escaping () -> Int64
  ) {
    self.broker = broker
    self.box = box
    self.options = options
    self.scheduler = scheduler
    self.wallClock = wallClock
    topics = MQTTTopics(options)
    link = BrokerLink(broker, options, scheduler: scheduler)
    feed = MQTTFeed(box, scheduler: scheduler)
    presets = MQTTPresets(box, scheduler: scheduler)
    birth = DeadlineTimer(scheduler)
    searching = DeadlineTimer(scheduler)
    link.onStanding = { [unowned(unsafe) self] in onStanding($0, $1) }
    link.onConnection = { [unowned(unsafe) self] in noteBroker($0) }
    link.onMessage = { [unowned(unsafe) self] in take($0) }
    link.onRoom = { [unowned(unsafe) self] in feed.want() }
    feed.onStatus = { [unowned(unsafe) self] in publish($0) }
    feed.onStats = { [unowned(unsafe) self] in count($0) }
    presets.onChange = { [unowned(unsafe) self] in tellPresets($0, $1) }
  }

  /// Begins to connect.
  package func start() { link.start() }

  /// Says that the box is leaving.
  package func end() {
    feed.stop()
    if link.isConnected { broker.publish(topics.availability, Array("offline".utf8), isRetained: true) }
  }

  /// An event of the box's feed.
  package func note(_ subject: String, _ fields: BoxFields) {
    if subject == "alarm", let text = fields["alarm"] {
      let event = MQTTState.alarmEvent(from: duty.alarm ?? "quiet", to: text)
      duty.alarm = text
      if let event { tell(topics.alarm, MQTTState.alarm(event, path: fields["path"])) }
    }
    if subject == "tag", let document = MQTTState.tag(fields) { tell(topics.tag, document) }
    if subject == "playlist" { return presets.want() }
    feed.want()
  }

  /// The box has come, or gone.
  package func noteBox(_ isThere: Bool) {
    duty.isBoxThere = isThere
    duty.alarm = nil
    isThere ? presets.want() : presets.stop()
    guard link.isConnected else { return }
    tellAvailability()
    isThere ? feed.start() : feed.stop()
  }

  // MARK: The broker

  private func noteBroker(_ isThere: Bool) {
    birth.stop()
    searching.stop()
    guard isThere else { return feed.stop() }
    // The broker may be another one, or have forgotten.
    retained = RetainedDocuments()
    duty.takenBack = 0
    broker.subscribe(topics.command)
    look()
    if let birth = topics.birth { broker.subscribe(birth) }
    introduce()
    tellAvailability()
    if duty.isBoxThere { feed.start() }
  }

  /// Looks for documents that this box has left.
  private func look() {
    broker.subscribe(topics.documents)
    searching.start(after: Self.search) { [unowned(unsafe) self] in broker.unsubscribe(topics.documents) }
  }

  private func introduce() {
    duty.introducedAt = scheduler.now
    for (topic, payload) in MQTTDiscovery.documents(options, presets: presets.names ?? []) {
      broker.publish(topic, payload, isRetained: true)
    }
  }

  /// Tells of new presets, and takes back those that are gone. Those of before this start are looked for.
  private func tellPresets(_ former: [String]?, _ names: [String]) {
    guard link.isConnected else { return }
    for name in names where former?.contains(name) != true {
      if let (topic, payload) = MQTTDiscovery.preset(name, options) {
        broker.publish(topic, payload, isRetained: true)
      }
    }
    guard let former else { return look() }
    for name in former where !names.contains(name) {
      if let (topic, _) = MQTTDiscovery.preset(name, options) { broker.publish(topic, [], isRetained: true) }
    }
  }

  private func tellAvailability() {
    broker.publish(
      topics.availability, Array((duty.isBoxThere ? "online" : "offline").utf8), isRetained: true)
  }

  private func take(_ message: MQTTMessage) {
    if message.topic == topics.command {
      takeCommand(message)
    } else if message.topic == topics.birth {
      guard !message.isRetained, message.payload.elementsEqual("online".utf8) else { return }
      welcome()
    } else if message.isRetained, topics.isDocument(message.topic) {
      takeBack(message)
    }
  }

  /// Home Assistant has started. All boxes hear it at once, and none answers at once.
  private func welcome() {
    guard !birth.isRunning else { return }
    let now = scheduler.now
    var jitter = BackOff(first: 2_000_000_000, longest: 2_000_000_000)
    let due = max(now + jitter.next(at: now) / 2, duty.introducedAt + Self.betweenRounds)
    birth.start(at: due) { [unowned(unsafe) self] in
      introduce()
      tellAvailability()
      retained = RetainedDocuments()
      if duty.isBoxThere { feed.start() }
    }
  }

  /// A document that this box has left, perhaps below another prefix or of another version: what is not told now is taken back.
  private func takeBack(_ message: MQTTMessage) {
    guard !message.payload.isEmpty, duty.takenBack < Self.maxTakenBack,
      !MQTTDiscovery.isTold(message.topic, options, presets: presets.names)
    else { return }
    duty.takenBack += 1
    broker.publish(message.topic, [], isRetained: true)
  }

  // MARK: Commands

  private func takeCommand(_ message: MQTTMessage) {
    let payload = message.payload
    switch gate.admit(payload, isRetained: message.isRetained, waiting: duty.waiting, at: scheduler.now) {
    case .drop: break
    case .refuse(let sentence): answer(MQTTAnswer.refusal(payload, sentence))
    case .give(let words, let mayWait):
      duty.waiting += 1
      box.ask(words, mayWait: mayWait) { [unowned(unsafe) self] found in
        duty.waiting -= 1
        answer(MQTTAnswer.document(payload, found))
      }
    }
  }

  private func answer(_ document: [UInt8]) { tell(topics.answer, document) }

  /// A broker that reads nothing gets no answers, and hears of no events.
  private func tell(_ topic: String, _ document: [UInt8]) {
    if link.isConnected, broker.hasRoom { broker.publish(topic, document, isRetained: false) }
  }

  // MARK: The box

  private func publish(_ status: BoxFields) {
    // From then on events tell, each once.
    if duty.alarm == nil { duty.alarm = status["alarm"] ?? "quiet" }
    keep(topics.state, MQTTState.state(status))
    keep(topics.position, MQTTState.position(status))
  }

  private func count(_ stats: BoxFields) {
    let started = MQTTState.started(stats, now: wallClock(), former: duty.boxStartedAt)
    duty.boxStartedAt = started
    keep(topics.diagnostics, MQTTState.diagnostics(stats, version: options.version, started: started))
  }

  /// Publishes a retained document, unless it is there already.
  private func keep(_ topic: String, _ document: [UInt8]) {
    guard link.isConnected, broker.hasRoom, retained.isNew(topic, document) else { return }
    broker.publish(topic, document, isRetained: true)
  }
}

/// What the integration has to do, and has done.
private struct MQTTDuty {
  var isBoxThere = false
  /// Commands whose answers are due.
  var waiting = 0
  var takenBack = 0
  var introducedAt: UInt64 = 0
  /// The box's words for its alarm; nil: it has not said.
  var alarm: String?
  /// Seconds since 1970.
  var boxStartedAt: Int64?
}

/// What the broker has of the documents that change.
private struct RetainedDocuments {
  private var documents: [(topic: String, payload: [UInt8])] = []

  mutating func isNew(_ topic: String, _ payload: [UInt8]) -> Bool {
    guard let index = documents.firstIndex(where: { $0.topic == topic }) else {
      documents.append((topic, payload))
      return true
    }
    defer { documents[index].payload = payload }
    return documents[index].payload != payload
  }
}
