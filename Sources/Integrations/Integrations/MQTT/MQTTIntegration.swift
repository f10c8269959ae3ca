// The MQTT integration: publishes the box's state, executes commands from the broker, and announces entities to Home
// Assistant. Single thread; never blocks; bounded memory.

import Platform

/// Connects a box to an MQTT broker.
package final class MQTTIntegration {
  /// Maximum number of outdated retained documents deleted per connection.
  private static let maxTakenBack = 200
  /// Duration in nanoseconds of the search for outdated documents after connecting.
  private static let search: UInt64 = 30_000_000_000
  /// Minimum interval in nanoseconds between publications of all discovery documents.
  private static let betweenRounds: UInt64 = 10_000_000_000

  /// Called with the connection's status, and whether it describes a problem.
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

  /// Creates the integration without connecting. `box` and `broker` must outlive it.
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

  /// Starts connecting.
  package func start() { link.start() }

  /// Publishes `offline` and stops polling.
  package func end() {
    feed.stop()
    if link.isConnected { broker.publish(topics.availability, Array("offline".utf8), isRetained: true) }
  }

  /// Processes an event of the daemon.
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

  /// The daemon has become reachable or unreachable.
  package func noteBox(_ isThere: Bool) {
    duty.isBoxThere = isThere
    duty.alarm = nil
    isThere ? presets.want() : presets.stop()
    guard link.isConnected else { return }
    tellAvailability()
    isThere ? feed.start() : feed.stop()
  }

  // MARK: Broker

  private func noteBroker(_ isThere: Bool) {
    birth.stop()
    searching.stop()
    guard isThere else { return feed.stop() }
    // This may be a different broker, or it may have lost its retained messages.
    retained = RetainedDocuments()
    duty.takenBack = 0
    broker.subscribe(topics.command)
    look()
    if let birth = topics.birth { broker.subscribe(birth) }
    introduce()
    tellAvailability()
    if duty.isBoxThere { feed.start() }
  }

  /// Subscribes for a while to the retained discovery documents of this box, to find outdated ones.
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

  /// Publishes new presets and deletes removed ones. Presets of a previous run are found by `look`.
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

  /// Home Assistant has started. Waits for a random delay, since all boxes receive this at once.
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

  /// Deletes a retained discovery document of this box that is outdated: left by another version or under another
  /// prefix.
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
    case .give(let command):
      duty.waiting += 1
      box.ask(command) { [unowned(unsafe) self] found in
        duty.waiting -= 1
        answer(MQTTAnswer.document(payload, found))
      }
    }
  }

  private func answer(_ document: [UInt8]) { tell(topics.answer, document) }

  /// Publishes without retaining. Skipped while the broker does not read.
  private func tell(_ topic: String, _ document: [UInt8]) {
    if link.isConnected, broker.hasRoom { broker.publish(topic, document, isRetained: false) }
  }

  // MARK: Daemon

  private func publish(_ status: BoxFields) {
    // Later changes of the alarm arrive as events.
    if duty.alarm == nil { duty.alarm = status["alarm"] ?? "quiet" }
    keep(topics.state, MQTTState.state(status))
    keep(topics.position, MQTTState.position(status))
  }

  private func count(_ stats: BoxFields) {
    let started = MQTTState.started(stats, now: wallClock(), former: duty.boxStartedAt)
    duty.boxStartedAt = started
    keep(topics.diagnostics, MQTTState.diagnostics(stats, version: options.version, started: started))
  }

  /// Publishes a retained document if it differs from the last one published.
  private func keep(_ topic: String, _ document: [UInt8]) {
    guard link.isConnected, broker.hasRoom, retained.isNew(topic, document) else { return }
    broker.publish(topic, document, isRetained: true)
  }
}

/// Mutable state of the integration.
private struct MQTTDuty {
  var isBoxThere = false
  /// Number of unanswered commands.
  var waiting = 0
  var takenBack = 0
  var introducedAt: UInt64 = 0
  /// The daemon's text for the state of the alarm; nil if unknown.
  var alarm: String?
  /// Start time of the daemon in seconds since 1970.
  var boxStartedAt: Int64?
}

/// The last published contents of each retained document.
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
