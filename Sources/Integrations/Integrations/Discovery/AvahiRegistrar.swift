// Registers a service with avahi-daemon through libavahi-client. Single thread; blocks only briefly on D-Bus replies.

import CAvahi
import CLinux
import Platform

/// The functions of the Avahi libraries, which are never unloaded.
package struct AvahiLibrary {
  let functions: cavahi_functions

  /// Loads the libraries; nil if they are not installed.
  package init?() {
    var functions = cavahi_functions()
    guard cavahi_load(&functions) != 0 else { return nil }
    self.functions = functions
  }

  /// The error message for missing libraries, without a full stop.
  package static var missing: String {
    "libavahi-client, which discovery needs, cannot be loaded (\(String(cString: dlerror()))); install Debian's packages "
      + "avahi-daemon and libavahi-client3"
  }
}

/// A connection to avahi-daemon.
package final class AvahiRegistrar: ServiceRegistrar {
  package var onEvent: (RegistrarEvent) -> Void = { _ in }

  private let library: cavahi_functions
  private let poll: AvahiPoll
  private let delivery: DeadlineTimer
  private var client: OpaquePointer?
  private var group: OpaquePointer?
  /// Events from the library's callbacks, to be delivered in the next turn of the event loop.
  private var told: [RegistrarEvent] = []

  /// Creates a registrar without connecting.
  package init(_ library: AvahiLibrary, scheduler: any Scheduler) {
    self.library = library.functions
    poll = AvahiPoll(scheduler)
    delivery = DeadlineTimer(scheduler)
  }

  deinit { close() }

  package func connect() {
    close()
    var error: Int32 = 0
    client = library.avahi_client_new(
      poll.pointer, CAVAHI_CLIENT_NO_FAIL,
      { client, state, object in
        guard let object else { return }
        Unmanaged<AvahiRegistrar>.fromOpaque(object).takeUnretainedValue().note(state, of: client)
      }, Unmanaged.passUnretained(self).toOpaque(), &error)
    if client == nil { tell(.lost(sentence(error))) }
  }

  package func close() {
    delivery.stop()
    told = []
    // Also frees the entry group.
    if let client { library.avahi_client_free(client) }
    client = nil
    group = nil
  }

  package func announce(_ service: AnnouncedService) {
    guard let client else { return }
    withdraw()
    if group == nil {
      group = library.avahi_entry_group_new(
        client,
        { _, state, object in
          guard let object else { return }
          Unmanaged<AvahiRegistrar>.fromOpaque(object).takeUnretainedValue().note(group: state)
        }, Unmanaged.passUnretained(self).toOpaque())
    }
    guard let group else { return tell(.lost(sentence(library.avahi_client_errno(client)))) }
    var error = library.avahi_entry_group_add_service_strlst(
      group, CAVAHI_UNSPECIFIED, service.isIPv4Only ? CAVAHI_IPV4 : CAVAHI_UNSPECIFIED, 0, service.name,
      service.type, nil, nil, service.port, nil)
    if error == 0 { error = library.avahi_entry_group_commit(group) }
    if error == CAVAHI_COLLISION { return tell(.collision) }
    if error < 0 { tell(.lost(sentence(error))) }
  }

  package func withdraw() {
    if let group { _ = library.avahi_entry_group_reset(group) }
  }

  package func alternative(to name: String) -> String {
    guard let other = library.avahi_alternative_service_name(name) else { return name + " 2" }
    defer { library.avahi_free(other) }
    return String(cString: other)
  }

  // MARK: Callbacks of the library

  private func note(_ state: Int32, of client: OpaquePointer?) {
    switch state {
    case CAVAHI_CLIENT_RUNNING: tell(.ready)
    case CAVAHI_CLIENT_REGISTERING, CAVAHI_CLIENT_COLLISION: tell(.settling)
    case CAVAHI_CLIENT_CONNECTING: tell(.waiting)
    case CAVAHI_CLIENT_FAILURE:
      tell(.lost(client.map { sentence(library.avahi_client_errno($0)) } ?? "it failed"))
    default: break
    }
  }

  private func note(group state: Int32) {
    switch state {
    case CAVAHI_GROUP_ESTABLISHED: tell(.established)
    case CAVAHI_GROUP_COLLISION: tell(.collision)
    case CAVAHI_GROUP_FAILURE: tell(.lost("avahi-daemon does not take it"))
    default: break
    }
  }

  /// Queues an event. Delivered in the next turn, because the handler may free objects that the library is using in
  /// its callback.
  private func tell(_ event: RegistrarEvent) {
    told.append(event)
    guard !delivery.isRunning else { return }
    delivery.start(after: 0) { [unowned(unsafe) self] in
      while !told.isEmpty { onEvent(told.removeFirst()) }
    }
  }

  private func sentence(_ error: Int32) -> String {
    "avahi-daemon: " + (library.avahi_strerror(error).map { String(cString: $0) } ?? "error \(error)")
  }
}
