// A connection to an MQTT broker, as the integration sees it. One thread; never waits, but to look up a name.

/// What comes from a broker.
package enum MQTTEvent: Hashable, Sendable {
  /// The broker has accepted the connection.
  case connected
  /// It has refused it, with the code of MQTT 3.1.1.
  case refused(Int)
  /// There is no connection any more, or none came about. Why, as the end of a sentence.
  case lost(String)
  /// Somebody has published something.
  case message(MQTTMessage)
  /// What was published has been sent.
  case room
}

/// A message.
package struct MQTTMessage: Hashable, Sendable {
  /// Its topic.
  package let topic: String
  /// Its bytes.
  package let payload: [UInt8]
  /// Whether it was published before, and kept by the broker.
  package let isRetained: Bool

  /// A message.
  package init(topic: String, payload: [UInt8], isRetained: Bool) {
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
  }
}

/// A broker, or what stands for one in tests. Class-bound, for Embedded Swift.
package protocol MQTTBroker: AnyObject {
  /// Told of what happens, never within a call of these functions.
  var onEvent: (MQTTEvent) -> Void { get set }
  /// Whether all that was published has been sent.
  var hasRoom: Bool { get }
  /// Begins to connect; `connected`, `refused` or `lost` follows. When the connection ends unasked, the broker publishes `offline`.
  func connect()
  /// Ends the connection, or the attempt. Nothing follows.
  func close()
  /// Publishes. Nothing happens without a connection.
  func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool)
  /// Asks for messages.
  func subscribe(_ pattern: String)
  /// Asks for them no longer.
  func unsubscribe(_ pattern: String)
}
