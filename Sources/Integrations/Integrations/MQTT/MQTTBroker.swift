// The MQTT integration's interface to a broker, implemented with libmosquitto and by tests. Single thread; blocks
// only on name lookups.

/// An event of a broker's connection.
package enum MQTTEvent: Hashable, Sendable {
  /// The broker has accepted the connection.
  case connected
  /// The broker has refused the connection, with a return code of MQTT 3.1.1.
  case refused(Int)
  /// The connection was lost or could not be established; the reason as the end of a sentence.
  case lost(String)
  /// A message was received.
  case message(MQTTMessage)
  /// The output queue has been sent completely.
  case room
}

/// A received message.
package struct MQTTMessage: Hashable, Sendable {
  /// The topic.
  package let topic: String
  /// The payload.
  package let payload: [UInt8]
  /// Whether the broker delivered a retained message.
  package let isRetained: Bool

  /// Creates a message.
  package init(topic: String, payload: [UInt8], isRetained: Bool) {
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
  }
}

/// A connection to a broker. Class-bound for Embedded Swift.
package protocol MQTTBroker: AnyObject {
  /// Receives events; never called from within a method of the broker.
  var onEvent: (MQTTEvent) -> Void { get set }
  /// Whether the output queue is empty.
  var hasRoom: Bool { get }
  /// Starts connecting; followed by `connected`, `refused` or `lost`. Sets a will, by which the broker publishes
  /// `offline` when the connection is lost.
  func connect()
  /// Closes the connection or cancels the attempt. No events follow.
  func close()
  /// Publishes a message with QoS 0. Does nothing without a connection.
  func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool)
  /// Subscribes to a topic filter.
  func subscribe(_ pattern: String)
  /// Cancels a subscription.
  func unsubscribe(_ pattern: String)
}
