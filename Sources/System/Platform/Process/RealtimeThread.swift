// A thread for audio: real-time scheduling and locked memory if the system permits, and a prefaulted stack.
// Started and joined by the control thread.

import CLinux

/// The real-time privileges that the system granted.
package struct RealtimeGrant: Sendable {
  /// The SCHED_FIFO priority; nil if the system refused.
  package let priority: Int32?
  /// Whether the process's memory is locked.
  package let isMemoryLocked: Bool

  /// A sentence for the log.
  package var description: String {
    let scheduling =
      priority.map { "real-time priority \($0)" }
      ?? "no real-time priority (needs CAP_SYS_NICE or an rtprio limit)"
    return scheduling + (isMemoryLocked ? ", memory locked" : ", memory not locked (memlock limit)")
  }
}

/// A running real-time thread.
package final class RealtimeThread: @unchecked Sendable {
  private final class Start {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  static let stackBytes = 256 * 1024
  /// Bytes of stack that are prefaulted, more than the audio thread has been observed to use.
  static let touchedBytes = 64 * 1024
  private var handle = pthread_t()
  private var isJoined = false
  /// The granted privileges.
  package let grant: RealtimeGrant

  /// Starts `body` on a new thread.
  ///
  /// - Parameters:
  ///   - priority: The SCHED_FIFO priority.
  ///   - locksMemory: Whether to lock each page of the present mappings when it is first used. Later mappings are
  ///     not locked, because the lock limit would then apply to them.
  ///   - body: The thread's function.
  package init(priority: Int32, locksMemory: Bool, body: @escaping () -> Void) throws(SystemError) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, Self.stackBytes)
    let start = Unmanaged.passRetained(Start(body))
    let code = pthread_create(
      &handle, &attributes,
      { raw in
        let start = Unmanaged<Start>.fromOpaque(raw!).takeRetainedValue()
        clinux_touch_stack(RealtimeThread.touchedBytes)
        start.body()
        return nil
      }, start.toOpaque())
    pthread_attr_destroy(&attributes)
    guard code == 0 else {
      start.release()
      throw SystemError("pthread_create", code: code)
    }
    var parameter = sched_param()
    parameter.sched_priority = priority
    let isGranted = pthread_setschedparam(handle, SCHED_FIFO, &parameter) == 0
    let isLocked = locksMemory && mlockall(Int32(MCL_CURRENT | MCL_ONFAULT)) == 0
    grant = RealtimeGrant(priority: isGranted ? priority : nil, isMemoryLocked: isLocked)
  }

  /// Waits for the thread to end.
  package func join() {
    guard !isJoined else { return }
    isJoined = true
    pthread_join(handle, nil)
  }
}
