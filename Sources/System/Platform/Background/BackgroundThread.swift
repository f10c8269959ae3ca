// An ordinary thread for work that may block on storage. Started and joined by the control thread.

import CLinux

/// A thread without real-time priority and with all signals blocked.
package final class BackgroundThread: @unchecked Sendable {
  private final class Start {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  static let stackBytes = 256 * 1024
  private var handle = pthread_t()
  private var isGone = false

  /// Starts `body` on a new thread.
  package init(body: @escaping () -> Void) throws(SystemError) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, Self.stackBytes)
    // A new thread inherits the signal mask, so the mask is set around its creation.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let start = Unmanaged.passRetained(Start(body))
    let code = pthread_create(
      &handle, &attributes,
      { raw in
        Unmanaged<Start>.fromOpaque(raw!).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    pthread_attr_destroy(&attributes)
    guard code == 0 else {
      start.release()
      throw SystemError("pthread_create", code: code)
    }
  }

  /// Waits for the thread to end.
  package func join() {
    guard !isGone else { return }
    isGone = true
    pthread_join(handle, nil)
  }

  /// Detaches the thread, for example if it hangs in a system call.
  package func abandon() {
    guard !isGone else { return }
    isGone = true
    pthread_detach(handle)
  }
}
