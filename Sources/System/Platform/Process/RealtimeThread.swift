// A thread for audio: real-time scheduling where the system grants it, memory locked, stack touched.
// Started and joined by the control thread.

import CLinux

/// What the system granted a thread that asked for real time.
package struct RealtimeGrant: Sendable {
  /// SCHED_FIFO priority, or nil where the system refused.
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

/// A running thread; joins when asked.
package final class RealtimeThread: @unchecked Sendable {
  private final class Start {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  static let stackBytes = 256 * 1024
  /// So much of it is in memory from the beginning: more than the audio thread's calls have been seen to take.
  static let touchedBytes = 64 * 1024
  private var handle = pthread_t()
  private var isJoined = false
  /// What was granted.
  package let grant: RealtimeGrant

  /// Starts `body` on a new thread. `locksMemory` keeps what is mapped now in memory once it was touched;
  /// what is mapped later is not bound by the limit that a lock on the future would set.
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

  /// Waits for the thread's end.
  package func join() {
    guard !isJoined else { return }
    isJoined = true
    pthread_join(handle, nil)
  }
}
