// The event loop of the control thread: descriptors and timers on a single epoll instance. Control thread
// only; a handler may add and remove anything, including itself.

import CLinux

/// Waits for descriptors and deadlines, and calls their handlers one at a time.
package final class EventLoop: Scheduler {
  /// Identifies a timer or a watch.
  package typealias Token = ScheduleToken

  private struct Source {
    let descriptor: Int32
    let handler: () -> Void
  }

  private struct Timer {
    let deadline: UInt64
    let handler: () -> Void
  }

  /// The most descriptors, more than the daemon needs with all its sessions, panels and keyboards.
  package static let maximumSources = 128
  private let epoll: FileDescriptor
  private var sources: [Token: Source] = [:]
  private var timers: [Token: Timer] = [:]
  private var nextToken: UInt64 = 1

  /// Creates an empty loop.
  package init() throws(SystemError) {
    let fd = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard fd >= 0 else { throw SystemError("epoll_create1") }
    epoll = FileDescriptor(owning: fd)
  }

  package var now: UInt64 { MonotonicClock.now() }

  /// For nesting in another loop: readable when a watched descriptor is. Timers have no effect on it.
  package var descriptor: Int32 { epoll.raw }

  /// The earliest deadline of all timers; nil if there is none.
  package var nextDeadline: UInt64? { timers.values.reduce(nil) { min($0 ?? .max, $1.deadline) } }

  private func makeToken() -> Token {
    defer { nextToken += 1 }
    return ScheduleToken(nextToken)
  }

  package func add(readable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> Token {
    try add(descriptor, EPOLLIN.rawValue | EPOLLRDHUP.rawValue, handler)
  }

  package func add(writable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> Token {
    try add(descriptor, EPOLLOUT.rawValue, handler)
  }

  package func add(changing descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> Token {
    try add(descriptor, EPOLLPRI.rawValue, handler)
  }

  private func add(
    _ descriptor: Int32, _ wanted: UInt32, _ handler: @escaping () -> Void
  ) throws(SystemError) -> Token {
    guard sources.count < Self.maximumSources else {
      throw SystemError("epoll_ctl", on: "the event loop", code: EMFILE)
    }
    let token = makeToken()
    var event = epoll_event()
    event.events = wanted
    event.data.u64 = token.value
    guard epoll_ctl(epoll.raw, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
      throw SystemError("epoll_ctl")
    }
    sources[token] = Source(descriptor: descriptor, handler: handler)
    return token
  }

  package func after(_ nanoseconds: UInt64, _ handler: @escaping () -> Void) -> Token {
    let token = makeToken()
    // Saturate on overflow: such a timer never fires.
    let (deadline, isTooLate) = MonotonicClock.now().addingReportingOverflow(nanoseconds)
    timers[token] = Timer(deadline: isTooLate ? .max : deadline, handler: handler)
    return token
  }

  package func remove(_ token: Token) {
    timers[token] = nil
    guard let source = sources.removeValue(forKey: token) else { return }
    _ = epoll_ctl(epoll.raw, EPOLL_CTL_DEL, source.descriptor, nil)
  }

  package func turn(waits: Bool) {
    var events = InlineArray<16, epoll_event>(repeating: epoll_event())
    let timeout = waits ? millisecondsUntilTimer() : 0
    var span = events.mutableSpan
    let count: Int32 = span.withUnsafeMutableBufferPointer { buffer in
      // Headers since Debian 13 declare the pointer as non-null.
      guard let first = buffer.baseAddress else { return 0 }
      return epoll_wait(epoll.raw, first, Int32(buffer.count), timeout)
    }
    var i = 0
    while i < Int(count) {
      // An earlier handler may have removed this source.
      sources[ScheduleToken(events[i].data.u64)]?.handler()
      i += 1
    }
    fireTimers()
  }

  private func millisecondsUntilTimer() -> Int32 {
    guard let earliest = nextDeadline else { return -1 }
    let now = MonotonicClock.now()
    guard earliest > now else { return 0 }
    return Int32(clamping: (earliest - now - 1) / 1_000_000 + 1)
  }

  private func fireTimers() {
    let now = MonotonicClock.now()
    while true {
      var due: (token: Token, timer: Timer)?
      for (token, timer) in timers where timer.deadline <= now {
        if let earliest = due, earliest.timer.deadline <= timer.deadline { continue }
        due = (token, timer)
      }
      guard let due else { return }
      timers[due.token] = nil
      due.timer.handler()
    }
  }
}
