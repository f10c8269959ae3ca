// Implements libavahi's event loop interface (AvahiPoll) on the integration's scheduler. Single thread. The watch and
// timeout objects are owned by the library, which frees them through their functions.

import CAvahi
import CLinux
import Platform

/// A descriptor watched by the library. Uses duplicates, because the library may watch a descriptor twice and the
/// scheduler cannot.
private final class AvahiWatch {
  private let scheduler: any Scheduler
  private let descriptor: Int32
  private let callback: cavahi_watch_callback
  private let object: UnsafeMutableRawPointer?
  private let forReading: FileDescriptor
  private let forWriting: FileDescriptor
  private var reading: DescriptorWatch?
  private var writing: DescriptorWatch?
  /// The events of the callback in progress.
  private(set) var happening: Int32 = 0

  init?(
    _ scheduler: any Scheduler, _ descriptor: Int32, _ callback: @escaping cavahi_watch_callback,
    _ object: UnsafeMutableRawPointer?
  ) {
    let copies = (clinux_fcntl(descriptor, F_DUPFD_CLOEXEC, 3), clinux_fcntl(descriptor, F_DUPFD_CLOEXEC, 3))
    guard copies.0 >= 0, copies.1 >= 0 else {
      for copy in [copies.0, copies.1] where copy >= 0 { _ = CLinux.close(copy) }
      return nil
    }
    self.scheduler = scheduler
    self.descriptor = descriptor
    self.callback = callback
    self.object = object
    forReading = FileDescriptor(owning: copies.0)
    forWriting = FileDescriptor(owning: copies.1)
  }

  func watch(for events: Int32) {
    if events & Int32(POLLIN) == 0 {
      reading = nil
    } else if reading == nil {
      reading = try? DescriptorWatch(scheduler, readable: forReading.raw) { [unowned(unsafe) self] in
        tell(Int32(POLLIN))
      }
    }
    if events & Int32(POLLOUT) == 0 {
      writing = nil
    } else if writing == nil {
      writing = try? DescriptorWatch(scheduler, writable: forWriting.raw) { [unowned(unsafe) self] in
        tell(Int32(POLLOUT))
      }
    }
  }

  /// Calls the library. The callback may free this object.
  private func tell(_ events: Int32) {
    withExtendedLifetime(self) {
      happening = events
      callback(OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), descriptor, events, object)
      happening = 0
    }
  }
}

/// A timeout of the library.
private final class AvahiTimeout {
  private let timer: DeadlineTimer
  private let callback: cavahi_timeout_callback
  private let object: UnsafeMutableRawPointer?

  init(
    _ scheduler: any Scheduler, _ callback: @escaping cavahi_timeout_callback,
    _ object: UnsafeMutableRawPointer?
  ) {
    timer = DeadlineTimer(scheduler)
    self.callback = callback
    self.object = object
  }

  func set(_ time: UnsafePointer<timeval>?) {
    guard let time else { return timer.stop() }
    var now = timeval()
    _ = gettimeofday(&now, nil)
    let left =
      Int64(time.pointee.tv_sec - now.tv_sec) * 1_000_000 + Int64(time.pointee.tv_usec) - Int64(now.tv_usec)
    timer.start(after: UInt64(max(0, min(left, 86_400_000_000))) * 1000) { [unowned(unsafe) self] in
      // The callback may free this object.
      withExtendedLifetime(self) {
        callback(OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), object)
      }
    }
  }
}

/// The `AvahiPoll` structure passed to the library. Its address is stable for the lifetime of this object.
final class AvahiPoll {
  fileprivate let scheduler: any Scheduler
  let pointer: UnsafeMutablePointer<cavahi_poll>

  init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: cavahi_poll())
    pointer.pointee.object = Unmanaged.passUnretained(self).toOpaque()
    addWatches()
    addTimeouts()
  }

  deinit { pointer.deallocate() }

  private func addWatches() {
    pointer.pointee.watch_new = { poll, descriptor, events, callback, object in
      guard let poll, let callback,
        let watch = AvahiWatch(AvahiPoll.scheduler(of: poll), descriptor, callback, object)
      else { return nil }
      watch.watch(for: events)
      return OpaquePointer(Unmanaged.passRetained(watch).toOpaque())
    }
    pointer.pointee.watch_update = { watch, events in
      if let watch { AvahiPoll.object(watch, AvahiWatch.self).takeUnretainedValue().watch(for: events) }
    }
    pointer.pointee.watch_get_events = { watch in
      watch.map { AvahiPoll.object($0, AvahiWatch.self).takeUnretainedValue().happening } ?? 0
    }
    pointer.pointee.watch_free = { watch in
      guard let watch else { return }
      let kept = AvahiPoll.object(watch, AvahiWatch.self).takeRetainedValue()
      kept.watch(for: 0)
    }
  }

  private func addTimeouts() {
    pointer.pointee.timeout_new = { poll, time, callback, object in
      guard let poll, let callback else { return nil }
      let timeout = AvahiTimeout(AvahiPoll.scheduler(of: poll), callback, object)
      timeout.set(time)
      return OpaquePointer(Unmanaged.passRetained(timeout).toOpaque())
    }
    pointer.pointee.timeout_update = { timeout, time in
      if let timeout { AvahiPoll.object(timeout, AvahiTimeout.self).takeUnretainedValue().set(time) }
    }
    pointer.pointee.timeout_free = { timeout in
      guard let timeout else { return }
      AvahiPoll.object(timeout, AvahiTimeout.self).takeRetainedValue().set(nil)
    }
  }

  private static func scheduler(of poll: UnsafePointer<cavahi_poll>) -> any Scheduler {
    Unmanaged<AvahiPoll>.fromOpaque(poll.pointee.object).takeUnretainedValue().scheduler
  }

  private static func object<Object: AnyObject>(
    _ pointer: OpaquePointer, _ type: Object.Type
  ) -> Unmanaged<Object> {
    Unmanaged<Object>.fromOpaque(UnsafeRawPointer(pointer))
  }
}
