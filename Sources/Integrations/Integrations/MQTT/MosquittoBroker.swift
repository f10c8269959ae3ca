// A broker reached by libmosquitto, without its thread: the scheduler says when its socket is ready. One thread; never waits, but to
// look up a name. Each attempt has a client of its own, so that nothing of a former one is left.

import CLinux
import CMosquitto
import Platform

/// libmosquitto's functions. Never unloaded.
package struct MosquittoLibrary {
  let functions: cmosquitto_functions

  /// Loads it. The error is a sentence that says which package to install.
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

/// Why there is no library, as the end of a sentence.
package struct MosquittoMissing: Error, Hashable, Sendable {
  /// The sentence, without its full stop.
  package let sentence: String
}

/// A connection by libmosquitto.
package final class MosquittoBroker: MQTTBroker {
  package var onEvent: (MQTTEvent) -> Void = { _ in }

  /// Seconds without a word after which the broker is asked whether it is there, and after as many more given up.
  private static let keepAlive: Int32 = 20
  private static let tickNanoseconds: UInt64 = 5_000_000_000
  /// Bytes of a message that are looked at; what is longer is cut, and refused for its length.
  private static let maxPayload = 4096

  private let library: cmosquitto_functions
  private let options: MQTTOptions
  private let scheduler: any Scheduler
  private let tick: DeadlineTimer
  private let delivery: DeadlineTimer
  private var client: OpaquePointer?
  /// Copies of the client's socket, which it may close at any time.
  private var channel: DescriptorChannel?
  private var reading: DescriptorWatch?
  private var writing: DescriptorWatch?
  /// What the library has told during the call that it is in.
  private var told: [MQTTEvent] = []
  /// The last error that it has logged.
  private var logged: String?
  /// Connections that were begun or closed.
  private var attempt: UInt64 = 0

  /// A connection that is not there yet.
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

  /// Says that the box is leaving, as far as that can be sent at once.
  package func farewell() {
    guard let client else { return }
    _ = library.mosquitto_disconnect(client)
    _ = library.mosquitto_loop_write(client, 100)
    close()
  }

  // MARK: The client

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

  /// Why, as the end of a sentence.
  private func sentence(_ code: Int32) -> String {
    switch code {
    case CMOSQUITTO_CONNECTION_LOST: "the connection was lost"
    case CMOSQUITTO_NAME_LOOKUP: "its name is not known"
    case CMOSQUITTO_TLS: "TLS: " + (logged ?? "the certificate does not fit")
    case CMOSQUITTO_ERRNO: String(cString: strerror(clinux_errno()))
    default: library.mosquitto_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
  }

  // MARK: Its socket

  private func watch(_ number: Int32) -> Bool {
    do throws(SystemError) {
      let copy = clinux_fcntl(number, F_DUPFD_CLOEXEC, 3)
      guard copy >= 0 else { return false }
      let made = try DescriptorChannel(FileDescriptor(owning: copy))
      reading = try DescriptorWatch(scheduler, readable: made.readable) { [unowned(unsafe) self] in turn() }
      // The end of connecting is that it can be written to.
      writing = try DescriptorWatch(scheduler, writable: made.writable) { [unowned(unsafe) self] in turn() }
      channel = made
      return true
    } catch {
      return false
    }
  }

  /// The socket is ready, for one or the other: over TLS, the one may be for the other's sake.
  private func turn() {
    guard let client else { return }
    let wasFull = !hasRoom
    var code = library.mosquitto_loop_read(client, 1)
    if code == CMOSQUITTO_SUCCESS, library.mosquitto_want_write(client) {
      code = library.mosquitto_loop_write(client, 1)
    }
    if code != CMOSQUITTO_SUCCESS, !isLossTold { told.append(.lost(sentence(code))) }
    if wasFull, hasRoom { told.append(.room) }
    afterwards()
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

  /// What was told is passed on from the scheduler, so that whoever hears it may do as it likes with the client.
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
    // Whoever hears one may close the connection, or begin another: then the rest is of none.
    for event in events where attempt == self.attempt { onEvent(event) }
  }
}
