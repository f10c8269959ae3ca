// Keeps a box connected to its broker: tries again, sooner or later as it is worth it, and says how it stands. One thread; never waits.

import Platform

/// A connection that comes back.
package final class BrokerLink {
  /// Nanoseconds that a broker has to accept a connection.
  static let timeoutNanoseconds: UInt64 = 10_000_000_000
  /// Nanoseconds after which a connection counts as one that lasts.
  static let steady: UInt64 = 10_000_000_000

  /// Told when the broker has accepted the connection, or it is gone.
  package var onConnection: (_ isThere: Bool) -> Void = { _ in }
  /// Told of messages.
  package var onMessage: (MQTTMessage) -> Void = { _ in }
  /// Told when there is room again for what is to be published.
  package var onRoom: () -> Void = {}
  /// Told how it stands, in words, whenever that changes.
  package var onStanding: (_ text: String, _ isTrouble: Bool) -> Void = { _, _ in }
  /// Whether the broker has accepted the connection.
  package private(set) var isConnected = false

  private let broker: any MQTTBroker
  private let place: String
  private let scheduler: any Scheduler
  private let timer: DeadlineTimer
  /// Waits after a broker that was not reached, which costs little to try, and may be back at any time.
  private var absence = BackOff(first: 500_000_000, longest: 4_000_000_000)
  /// Waits after a connection that did not last: another client of this name may be taking it again and again.
  private var strife = BackOff(first: 1_000_000_000, longest: 30_000_000_000)
  private var connectedAt: UInt64 = 0
  private var standing = ""

  /// A link that has not begun. The broker outlives it.
  package init(_ broker: any MQTTBroker, _ options: MQTTOptions, scheduler: any Scheduler) {
    self.broker = broker
    place = options.place
    self.scheduler = scheduler
    timer = DeadlineTimer(scheduler)
    broker.onEvent = { [unowned(unsafe) self] in hear($0) }
  }

  /// Begins to connect, and never ends.
  package func start() { attempt() }

  private func attempt() {
    timer.start(after: Self.timeoutNanoseconds) { [unowned(unsafe) self] in lose("it does not answer") }
    broker.connect()
  }

  private func hear(_ event: MQTTEvent) {
    switch event {
    case .connected:
      timer.stop()
      isConnected = true
      connectedAt = scheduler.now
      absence.reset()
      stand("connected to " + place, isTrouble: false)
      onConnection(true)
    case .refused(let code): lose(Self.refusal(code), isRefusal: true)
    case .lost(let reason): lose(reason)
    case .message(let message): if isConnected { onMessage(message) }
    case .room: if isConnected { onRoom() }
    }
  }

  private func lose(_ reason: String, isRefusal: Bool = false) {
    broker.close()
    let now = scheduler.now
    let wasConnected = isConnected
    isConnected = false
    var wait: UInt64
    if wasConnected {
      if now - connectedAt >= Self.steady {
        strife.reset()
        wait = absence.next(at: now)
      } else {
        wait = strife.next(at: now)
      }
    } else {
      wait = absence.next(at: now)
      // A password does not get right by being said often.
      if isRefusal { wait = max(wait, absence.longest - absence.longest / 8) }
    }
    timer.start(after: wait) { [unowned(unsafe) self] in attempt() }
    stand("no connection to \(place): \(reason)", isTrouble: true)
    if wasConnected { onConnection(false) }
  }

  private func stand(_ text: String, isTrouble: Bool) {
    guard text != standing else { return }
    standing = text
    onStanding(text, isTrouble)
  }

  /// The codes of MQTT 3.1.1.
  private static func refusal(_ code: Int) -> String {
    switch code {
    case 1: "the broker does not speak MQTT 3.1.1"
    case 2: "the broker refuses the name of this client"
    case 3: "the broker is not ready"
    case 4: "the broker refuses user or password (mqtt.user, mqtt.password)"
    case 5: "the broker does not let this user in (mqtt.user, mqtt.password)"
    default: "the broker refuses the connection with code \(code)"
    }
  }
}
