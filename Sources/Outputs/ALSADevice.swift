// A sound card through ALSA. Opened on the control thread, then used by the audio thread alone; only `wake`
// may come from elsewhere. Never closed between tracks.

import CALSA
import CLinux
import PlaybackModel
import Platform
import RealtimeAudio

/// A playback PCM.
package final class ALSADevice: PCMDevice, @unchecked Sendable {
  /// The PCM's name, such as `default` or `hw:0`.
  package let name: String
  private let options: OutputOptions
  private let wakeUp: WakeUp
  private var pcm: OpaquePointer?
  private var setup: ALSASetup
  /// Whether the strategy was checked against the playing device.
  private var isRefined = false
  /// The card's own descriptors, which tell at once when it stops or goes.
  private var descriptors: [pollfd] = []
  /// Whether it plays, so that its descriptors mean something.
  private var isRunning = false

  /// The negotiated values.
  package var rate: SampleRate { setup.rate }
  /// The negotiated sample format.
  package var format: SampleFormat { setup.format }
  /// One or two.
  package var channels: Int { setup.channels }
  /// Frames of the device's buffer.
  package var bufferFrames: Int { setup.buffer }
  /// Deep or shallow, as the device's type and a probe tell.
  package private(set) var strategy: BufferStrategy

  /// Reads ALSA's configuration, which the first card to be opened would have to wait for.
  package static func prepareLibrary() {
    calsa_silence_library()
    snd_config_update()
  }

  /// Opens and configures a PCM. Errors name the device, the reason and what to do.
  package init(name: String, options: OutputOptions) throws(OutputError) {
    calsa_silence_library()
    self.name = name
    self.options = options
    do {
      wakeUp = try WakeUp()
    } catch {
      throw OutputError(subject: name, reason: error.description, isUnavailable: false)
    }
    let (handle, setup) = try ALSASetup.open(name: name, options: options)
    pcm = handle
    self.setup = setup
    strategy = RewindProbe.strategy(of: handle, setup: setup, mode: options.mode)
    watch(handle)
  }

  /// Notes what to wait for. Room in the buffer is none of it: the loop knows by itself when that comes.
  private func watch(_ pcm: OpaquePointer) {
    let count = max(0, Int(snd_pcm_poll_descriptors_count(pcm)))
    descriptors = Array(repeating: pollfd(), count: count + 1)
    let found = snd_pcm_poll_descriptors(pcm, &descriptors, UInt32(count))
    descriptors.removeLast(count + 1 - max(0, Int(found)))
    for i in descriptors.indices { descriptors[i].events &= ~Int16(POLLOUT) }
    descriptors.append(pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0))
  }

  deinit { if let pcm { snd_pcm_close(pcm) } }

  /// One line for `status`: device, rate, format, buffer and why it is deep or shallow.
  package var summary: String {
    let milliseconds = { (frames: Int) in frames * 1000 / self.rate.hertz }
    let mode =
      switch strategy {
      case .deep(let queue, let margin):
        "deep buffer, \(milliseconds(queue)) ms queued, answers in \(milliseconds(margin)) ms"
      case .shallow(let queue): "short buffer, \(milliseconds(queue)) ms queued (no rewind)"
      case .offline: "offline"
      }
    return "ALSA \(name): \(rate.hertz) Hz, \(format.name), \(channels) ch, "
      + "period \(setup.period), buffer \(setup.buffer) frames; \(mode)"
  }

  private func handle() throws(PCMFault) -> OpaquePointer {
    guard let pcm else { throw .lost }
    return pcm
  }

  package func prepare() throws(PCMFault) {
    isRunning = false
    let pcm = try handle()
    switch snd_pcm_state(pcm) {
    case SND_PCM_STATE_PREPARED: return
    case SND_PCM_STATE_RUNNING, SND_PCM_STATE_DRAINING: _ = snd_pcm_drop(pcm)
    case SND_PCM_STATE_SUSPENDED: _ = snd_pcm_resume(pcm)
    default: break
    }
    try Self.check(snd_pcm_prepare(pcm))
  }

  package func start() throws(PCMFault) {
    let pcm = try handle()
    let isBeginning = snd_pcm_state(pcm) != SND_PCM_STATE_RUNNING
    if isBeginning { try Self.check(snd_pcm_start(pcm)) }
    isRunning = true
    guard isBeginning, !isRefined, let available = try? available(),
      setup.buffer - available > Int(rate.frames(Seconds(0.1)).count)
    else { return }
    isRefined = true
    strategy = RewindProbe.refined(strategy, of: pcm, setup: setup)
  }

  package func available() throws(PCMFault) -> Int {
    // Not avail_update: that one does not ask the hardware (DEEP-BUFFER, pitfall 1).
    let frames = snd_pcm_avail(try handle())
    try Self.check(Int32(clamping: min(frames, 0)))
    return min(Int(frames), setup.buffer)
  }

  package func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int {
    let written = snd_pcm_writei(try handle(), bytes, UInt(frames))
    if written == -Int(EAGAIN) { return 0 }
    try Self.check(Int32(clamping: min(written, 0)))
    return Int(written)
  }

  package func rewind(_ frames: Int) -> Int {
    guard let pcm else { return 0 }
    let rewindable = snd_pcm_rewindable(pcm)
    guard rewindable > 0 else { return 0 }
    return max(0, Int(snd_pcm_rewind(pcm, UInt(min(frames, Int(rewindable))))))
  }

  package func stop() {
    isRunning = false
    if let pcm { _ = snd_pcm_drop(pcm) }
  }

  package func reopen() -> Bool {
    isRunning = false
    if let pcm { snd_pcm_close(pcm) }
    pcm = nil
    guard let (handle, setup) = try? ALSASetup.open(name: name, options: options) else { return false }
    guard setup.rate == self.setup.rate, setup.format == self.setup.format,
      setup.channels == self.setup.channels
    else {
      snd_pcm_close(handle)
      return false
    }
    pcm = handle
    self.setup = setup
    strategy = RewindProbe.strategy(of: handle, setup: setup, mode: options.mode)
    isRefined = false
    watch(handle)
    return true
  }

  package func now() -> UInt64 { MonotonicClock.now() }

  package func wait(_ nanoseconds: Int64?) {
    guard isRunning, let pcm, let nanoseconds, descriptors.count > 1 else { return wakeUp.wait(nanoseconds) }
    let end = now() + UInt64(max(0, nanoseconds))
    let count = descriptors.count - 1
    var falseAlarms = 0
    while true {
      let current = now()
      guard current < end else { return }
      // A descriptor that is always ready would keep the thread spinning.
      guard falseAlarms < 8 else { return wakeUp.wait(Int64(end - current)) }
      falseAlarms += 1
      var time = timespec(
        tv_sec: Int((end - current) / 1_000_000_000), tv_nsec: Int((end - current) % 1_000_000_000))
      guard clinux_ppoll(&descriptors, UInt(count + 1), &time) > 0 else { return }
      if descriptors[count].revents != 0 { return wakeUp.clear() }
      var events: UInt16 = 0
      guard snd_pcm_poll_descriptors_revents(pcm, &descriptors, UInt32(count), &events) == 0,
        events & UInt16(POLLERR | POLLHUP | POLLNVAL) == 0
      else {
        // Told once: whatever it is, the next call to the card says it.
        isRunning = false
        return
      }
    }
  }

  package func wake() { wakeUp.signal() }

  /// What an error number of ALSA means for the loop.
  private static func check(_ code: Int32) throws(PCMFault) {
    guard code < 0 else { return }
    switch -code {
    case EPIPE: throw .underrun
    case ESTRPIPE: throw .suspended
    case ENODEV, ENXIO, ENOTTY, EIO, ESHUTDOWN, EBADFD: throw .lost
    default: throw .failed(-code)
    }
  }
}
