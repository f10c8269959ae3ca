// Connects to an MQTT broker with libmosquitto, driven by the scheduler instead of the library's thread. Single
// thread; blocks only on name lookups. Each attempt creates a new client, so that no state of a previous one remains.

import CLinux
import CMosquitto
import Platform

/// The functions of libmosquitto, which is never unloaded.
package struct MosquittoLibrary {
  let functions: cmosquitto_functions

  /// Loads and initializes the library.
  ///
  /// - Throws: `MosquittoMissing`, which names the package to install.
  package init() throws(MosquittoMissing) {
    var functions = cmosquitto_functions()
    guard cmosquitto_load(&functions) != 0, functions.mosquitto_lib_init() == CMOSQUITTO_SUCCESS else {
      throw MosquittoMissing(
        sentence:
          "libmosquitto, which MQTT needs, cannot be loaded (\(String(cString: dlerror()))); install Debian's "
          + "package libmosquitto1")
    }
    self.functions = functions
  }
}

/// The error for a missing library.
package struct MosquittoMissing: Error, Hashable, Sendable {
  /// The message, without a full stop.
  package let sentence: String
}

/// A broker connection through libmosquitto.
package final class MosquittoBroker: MQTTBroker {
  package var onEvent: (MQTTEvent) -> Void = { _ in }

  /// Keep-alive interval in seconds, after which a silent broker is pinged; after the same time again the connection
  /// is closed.
  private static let keepAlive: Int32 = 20
  private static let tickNanoseconds: UInt64 = 5_000_000_000
  /// Maximum bytes of a payload that are read. Longer payloads are truncated and then refused for their length.
  private static let maxPayload = 4096

  private let library: cmosquitto_functions
  private let options: MQTTOptions
  private let scheduler: any Scheduler
  private let tick: DeadlineTimer
  private let delivery: DeadlineTimer
  private var client: OpaquePointer?
  /// Duplicates of the client's socket, which the library may close at any time.
  private var channel: DescriptorChannel?
  private var reading: DescriptorWatch?
  private var writing: DescriptorWatch?
  /// Events from the library's callbacks, to be delivered in the next turn of the event loop.
  private var told: [MQTTEvent] = []
  /// The last error message logged by the library.
  private var logged: String?
  /// Counts calls of `connect` and `close`, to detect outdated events.
  private var attempt: UInt64 = 0

  /// Creates a broker without connecting.
  package init(_ library: MosquittoLibrary, _ options: MQTTOptions, scheduler: any Scheduler) {
    self.library = library.functions
    self.options = options
    self.scheduler = scheduler
    tick = DeadlineTimer(scheduler)
    delivery = DeadlineTimer(scheduler)
  }

  deinit { close() }

  package var hasRoom: Bool { client.map { !library.mosquitto_want_write($0) } ?? false }

  package func connect() {
    close()
    guard let made = library.mosquitto_new(options.client, true, Unmanaged.passUnretained(self).toOpaque())
    else {
      return tell(.lost("there is not enough memory"))
    }
    client = made
    listen(made)
    if let fault = prepare(made) { return fail(fault) }
    let code = library.mosquitto_connect_async(made, options.host, Int32(options.port), Self.keepAlive)
    guard code == CMOSQUITTO_SUCCESS else { return fail(sentence(code)) }
    let number = library.mosquitto_socket(made)
    guard number >= 0, watch(number) else { return fail("there are no descriptors left") }
    afterwards()
    beat()
  }

  package func close() {
    attempt += 1
    tick.stop()
    delivery.stop()
    reading = nil
    writing = nil
    channel = nil
    told = []
    logged = nil
    if let client { library.mosquitto_destroy(client) }
    client = nil
  }

  package func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool) {
    guard let client else { return }
    _ = payload.withUnsafeBytes {
      library.mosquitto_publish(client, nil, topic, Int32($0.count), $0.baseAddress, 0, isRetained)
    }
    afterwards()
  }

  package func subscribe(_ pattern: String) {
    guard let client else { return }
    _ = library.mosquitto_subscribe(client, nil, pattern, 0)
    afterwards()
  }

  package func unsubscribe(_ pattern: String) {
    guard let client else { return }
    _ = library.mosquitto_unsubscribe(client, nil, pattern)
    afterwards()
  }

  /// Disconnects cleanly, sending what the socket accepts immediately.
  package func farewell() {
    guard let client else { return }
    _ = library.mosquitto_disconnect(client)
    _ = library.mosquitto_loop_write(client, 100)
    close()
  }

  // MARK: Client

  private func prepare(_ made: OpaquePointer) -> String? {
    if let user = options.user {
      _ = library.mosquitto_username_pw_set(made, user, options.password)
    }
    if options.usesTLS {
      let folder = options.authority == nil ? "/etc/ssl/certs" : nil
      let code = library.mosquitto_tls_set(made, options.authority, folder, nil, nil, nil)
      guard code == CMOSQUITTO_SUCCESS else {
        return "the certificates in \(options.authority ?? "/etc/ssl/certs") cannot be read"
      }
    }
    let offline = Array("offline".utf8)
    let code = offline.withUnsafeBytes {
      library.mosquitto_will_set(
        made, MQTTTopics(options).availability, Int32($0.count), $0.baseAddress, 0, true)
    }
    return code == CMOSQUITTO_SUCCESS ? nil : sentence(code)
  }

  private func listen(_ made: OpaquePointer) {
    library.mosquitto_connect_callback_set(made) { _, context, code in
      MosquittoBroker.from(context).told.append(code == 0 ? .connected : .refused(Int(code)))
    }
    library.mosquitto_disconnect_callback_set(made) { _, context, code in
      let broker = MosquittoBroker.from(context)
      broker.told.append(.lost(broker.sentence(code)))
    }
    library.mosquitto_message_callback_set(made) { _, context, message in
      if let message { MosquittoBroker.from(context).take(message.pointee) }
    }
    library.mosquitto_log_callback_set(made) { _, context, level, text in
      guard level == CMOSQUITTO_LOG_ERROR, let text else { return }
      MosquittoBroker.from(context).logged = String(cString: text)
    }
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> MosquittoBroker {
    Unmanaged<MosquittoBroker>.fromOpaque(context!).takeUnretainedValue()
  }

  private func take(_ message: mosquitto_message) {
    guard let topic = message.topic else { return }
    let count = min(Int(max(message.payloadlen, 0)), Self.maxPayload)
    let payload = message.payload.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
    told.append(
      .message(
        MQTTMessage(topic: String(cString: topic), payload: payload, isRetained: message.retain)))
  }

  /// The error message of a return code, as the end of a sentence.
  private func sentence(_ code: Int32) -> String {
    switch code {
    case CMOSQUITTO_CONNECTION_LOST: "the connection was lost"
    case CMOSQUITTO_NAME_LOOKUP: "its name is not known"
    case CMOSQUITTO_TLS: "TLS: " + (logged ?? "the certificate does not fit")
    case CMOSQUITTO_ERRNO: String(cString: strerror(clinux_errno()))
    default: library.mosquitto_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
  }

  // MARK: Socket

  private func watch(_ number: Int32) -> Bool {
    do throws(SystemError) {
      let copy = clinux_fcntl(number, F_DUPFD_CLOEXEC, 3)
      guard copy >= 0 else { return false }
      let made = try DescriptorChannel(FileDescriptor(owning: copy))
      reading = try DescriptorWatch(scheduler, readable: made.readable) { [unowned(unsafe) self] in turn() }
      // The socket becomes writable when the connection is established.
      writing = try DescriptorWatch(scheduler, writable: made.writable) { [unowned(unsafe) self] in turn() }
      channel = made
      return true
    } catch {
      return false
    }
  }

  /// The socket is ready. Always reads and writes, because TLS may need either for the other.
  private func turn() {
    guard let client else { return }
    let wasFull = !hasRoom
    var code = library.mosquitto_loop_read(client, 1)
    if code == CMOSQUITTO_SUCCESS, library.mosquitto_want_write(client) {
      code = library.mosquitto_loop_write(client, 1)
    }
    // libmosquitto 2.0 ignores a connection that is reset during the TLS handshake (`net__socket_connect_tls`).
    if code == CMOSQUITTO_SUCCESS, isSocketClosed { code = CMOSQUITTO_CONNECTION_LOST }
    if code != CMOSQUITTO_SUCCESS, !isLossTold { told.append(.lost(sentence(code))) }
    if wasFull, hasRoom { told.append(.room) }
    afterwards()
  }

  /// Whether the connection has ended and all received bytes are read.
  private var isSocketClosed: Bool {
    guard let channel else { return true }
    var byte: UInt8 = 0
    let count = recv(channel.readable, &byte, 1, CLINUX_MSG_DONTWAIT | CLINUX_MSG_PEEK)
    return count == 0 || (count < 0 && clinux_errno() != EAGAIN && clinux_errno() != EINTR)
  }

  private var isLossTold: Bool {
    for case .lost in told { return true }
    return false
  }

  private func beat() {
    tick.start(after: Self.tickNanoseconds) { [unowned(unsafe) self] in
      guard let client else { return }
      let code = library.mosquitto_loop_misc(client)
      if code != CMOSQUITTO_SUCCESS, !isLossTold { told.append(.lost(sentence(code))) }
      beat()
      afterwards()
    }
  }

  private func fail(_ reason: String) {
    told.append(.lost(reason))
    afterwards()
  }

  private func tell(_ event: MQTTEvent) {
    told.append(event)
    afterwards()
  }

  /// Updates the watches and schedules the delivery of events. They are delivered in the next turn, because handlers
  /// may close the client.
  private func afterwards() {
    if isLossTold {
      reading = nil
      writing = nil
    } else if let client, let channel {
      if !library.mosquitto_want_write(client) {
        writing = nil
      } else if writing == nil {
        writing = try? DescriptorWatch(scheduler, writable: channel.writable) { [unowned(unsafe) self] in
          turn()
        }
      }
    }
    guard !told.isEmpty, !delivery.isRunning else { return }
    delivery.start(after: 0) { [unowned(unsafe) self] in deliver() }
  }

  private func deliver() {
    let events = told
    told = []
    let attempt = attempt
    // A handler may close the connection or start another; the remaining events are then outdated.
    for event in events where attempt == self.attempt { onEvent(event) }
  }
}
