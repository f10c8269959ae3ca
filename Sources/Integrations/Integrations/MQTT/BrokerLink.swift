// Keeps the connection to an MQTT broker: reconnects with backoff and reports its status. Single thread; never
// blocks.

import Platform

/// A connection to a broker that is re-established after a loss.
package final class BrokerLink {
  /// Timeout in nanoseconds for the broker to accept a connection.
  static let timeoutNanoseconds: UInt64 = 10_000_000_000
  /// Duration in nanoseconds after which a connection counts as stable.
  static let steady: UInt64 = 10_000_000_000

  /// Called when the broker has accepted the connection (true) or it was lost (false).
  package var onConnection: (_ isThere: Bool) -> Void = { _ in }
  /// Called with each message.
  package var onMessage: (MQTTMessage) -> Void = { _ in }
  /// Called when the output queue has been sent, so that more can be published.
  package var onRoom: () -> Void = {}
  /// Called with the status when it changes, and whether it describes a problem.
  package var onStanding: (_ text: String, _ isTrouble: Bool) -> Void = { _, _ in }
  /// Whether the broker has accepted the connection.
  package private(set) var isConnected = false

  private let broker: any MQTTBroker
  private let place: String
  private let scheduler: any Scheduler
  private let timer: DeadlineTimer
  /// Backoff after a failed connection attempt; short, since attempts are cheap and the broker may return at any
  /// time.
  private var absence = BackOff(first: 500_000_000, longest: 4_000_000_000)
  /// Backoff after an unstable connection: another client with the same id may repeatedly take it over.
  private var strife = BackOff(first: 1_000_000_000, longest: 30_000_000_000)
  private var connectedAt: UInt64 = 0
  private var standing = ""

  /// Creates a link without connecting. `broker` must outlive it.
  package init(_ broker: any MQTTBroker, _ options: MQTTOptions, scheduler: any Scheduler) {
    self.broker = broker
    place = options.place
    self.scheduler = scheduler
    timer = DeadlineTimer(scheduler)
    broker.onEvent = { [unowned(unsafe) self] in hear($0) }
  }

  /// Starts connecting; the link then reconnects indefinitely.
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
      // Wrong credentials will not be accepted soon, so the longest delay is used.
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

  /// The reason behind a return code of CONNACK (MQTT 3.1.1, section 3.2.2.3).
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
