// Runs the audio loop: on a real-time thread for outputs with a clock, step by step on the control thread for
// recordings. Created and ended by the control thread.

import PlaybackModel
import Platform
import RealtimeAudio
import Synchronization

/// Runs an audio loop on a device.
package final class AudioHost {
  /// The connection to the loop.
  package let link: AudioLink
  /// Whether the output has a clock, so that the loop runs on a thread of its own.
  package let isPaced: Bool
  /// The scheduling priority and memory locking that the system granted to the thread; nil without a thread.
  package let grant: RealtimeGrant?
  /// Readable when the loop has sent a report.
  package let reports: WakeUp
  private let device: any PCMDevice
  private let loop: AudioLoop
  private let thread: RealtimeThread?
  private let quit: Flag

  private final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
  }

  /// The requested SCHED_FIFO priority: above ordinary work, below the kernel's interrupt threads.
  static let priority: Int32 = 40

  /// Starts the loop on an open device. A device with a clock gets a thread with SCHED_FIFO priority 40, if the
  /// system grants it.
  ///
  /// - Throws: `SystemError` if no descriptor or thread is available.
  package init(device: any PCMDevice) throws(SystemError) {
    let reports = try WakeUp()
    let link = AudioLink(wakeAudio: { device.wake() }, notifyControl: { reports.signal() })
    let loop = AudioLoop(device: device, link: link)
    let quit = Flag()
    self.reports = reports
    self.link = link
    self.loop = loop
    self.quit = quit
    self.device = device
    if case .offline = device.strategy {
      isPaced = false
      thread = nil
      grant = nil
      return
    }
    isPaced = true
    let thread = try RealtimeThread(priority: Self.priority, locksMemory: true) {
      while !quit.isSet.load(ordering: .acquiring) { device.wait(loop.turn()) }
    }
    self.thread = thread
    grant = thread.grant
  }

  /// Renders one chunk of a recording on the control thread.
  ///
  /// - Returns: Whether any frames were rendered.
  package func step() -> Bool {
    precondition(!isPaced, "a paced loop has a thread of its own")
    let before = loop.frame
    _ = loop.turn()
    return loop.frame != before
  }

  /// The next frame to be rendered; for a recording only.
  package var frame: Frames { loop.frame }

  /// Ends the loop and joins its thread, which takes at most one turn of the loop. Frames queued in the device are
  /// lost.
  package func stop() {
    quit.isSet.store(true, ordering: .releasing)
    device.wake()
    thread?.join()
    device.stop()
  }
}
