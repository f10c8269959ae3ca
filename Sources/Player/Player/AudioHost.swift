// Where the audio loop runs: on a real-time thread of its own, or on the control thread for recordings.
// Made and ended by the control thread.

import PlaybackModel
import Platform
import RealtimeAudio
import Synchronization

/// Runs an audio loop against a device.
package final class AudioHost {
  /// The connection to the loop.
  package let link: AudioLink
  /// Whether the loop has a thread and a clock of its own.
  package let isPaced: Bool
  /// What the system granted the thread; nil without one.
  package let grant: RealtimeGrant?
  /// Readable when the loop has reported something.
  package let reports: WakeUp
  private let device: any PCMDevice
  private let loop: AudioLoop
  private let thread: RealtimeThread?
  private let quit: Flag

  private final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
  }

  /// The SCHED_FIFO priority that is asked for: above ordinary work, below the kernel's interrupt threads.
  static let priority: Int32 = 40

  /// Starts the loop for an open device. A paced one runs on a thread of its own from now on, at SCHED_FIFO priority 40
  /// where the system grants it.
  ///
  /// - Throws: Where no descriptor or thread is to be had.
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

  /// For a recording: renders one chunk on the control thread.
  ///
  /// - Returns: Whether anything was rendered.
  package func step() -> Bool {
    precondition(!isPaced, "a paced loop has a thread of its own")
    let before = loop.frame
    _ = loop.turn()
    return loop.frame != before
  }

  /// The frame that is rendered next; for a recording only.
  package var frame: Frames { loop.frame }

  /// Ends the loop, and waits for its thread to end, a turn at most. What is queued in the device is lost.
  package func stop() {
    quit.isSet.store(true, ordering: .releasing)
    device.wake()
    thread?.join()
    device.stop()
  }
}
