// Plays to a sound card through ALSA. The control thread opens it, then only the audio thread uses it; `wake` may be
// called from any thread. It stays open between tracks.

import CALSA
import CLinux
import PlaybackModel
import Platform
import RealtimeAudio

/// An ALSA playback PCM.
package final class ALSADevice: PCMDevice, @unchecked Sendable {
  /// The PCM's name, such as `default` or `hw:0`.
  package let name: String
  private let wakeUp: WakeUp
  /// Hands cards over between the audio thread and the thread that reopens a lost card.
  private let slot: CardSlot
  private let comingBack: DeviceReturn
  private var card: OpenCard?
  /// Rate, format and buffer of the last negotiation.
  private var setup: ALSASetup
  /// Whether the strategy was checked against the running device.
  private var isRefined = false
  /// The card's poll descriptors, which report at once when it stops or disappears.
  private var descriptors: [pollfd] = []
  /// Whether the card is running; its descriptors are meaningful only then.
  private var isRunning = false

  /// The negotiated sample rate.
  package var rate: SampleRate { setup.rate }
  /// The sample format that the mixer renders.
  package var format: SampleFormat { setup.format }
  /// Channels that the mixer renders: one or two, even if the card has more.
  package var channels: Int { setup.channels }
  /// Size of the device's buffer in frames.
  package var bufferFrames: Int { setup.buffer }
  /// Deep or shallow, depending on the PCM type and the rewind probe.
  package private(set) var strategy: BufferStrategy
  package private(set) var latency = 0
  package var announcesReturn: Bool { true }

  /// Loads ALSA's configuration in advance, so that opening the first card does not wait for it.
  package static func prepareLibrary() {
    calsa_silence_library()
    snd_config_update()
  }

  /// Opens and configures a PCM.
  ///
  /// - Throws: `OutputError` with the device, the reason and a remedy.
  package init(name: String, options: OutputOptions) throws(OutputError) {
    calsa_silence_library()
    self.name = name
    do {
      wakeUp = try WakeUp()
    } catch {
      throw OutputError(subject: name, reason: error.description, isUnavailable: false)
    }
    let card = try OpenCard(name: name, options: options)
    let (slot, wakeUp) = (CardSlot(name: name, options: options, like: card.setup), wakeUp)
    self.slot = slot
    do {
      comingBack = try DeviceReturn(
        watching: Self.folder, attempt: { slot.fill() }, wake: { wakeUp.signal() })
    } catch {
      throw OutputError(subject: name, reason: error.description, isUnavailable: false)
    }
    self.card = card
    setup = card.setup
    strategy = card.strategy
    watch(card.pcm)
  }

  /// Directory in which the kernel lists sound devices.
  private static let folder = "/dev/snd"

  /// Collects the descriptors to wait for. Free buffer space (POLLOUT) is left out: the audio loop computes that time
  /// itself.
  private func watch(_ pcm: OpaquePointer) {
    let count = max(0, Int(snd_pcm_poll_descriptors_count(pcm)))
    descriptors = Array(repeating: pollfd(), count: count + 1)
    let found = snd_pcm_poll_descriptors(pcm, &descriptors, UInt32(count))
    descriptors.removeLast(count + 1 - max(0, Int(found)))
    for i in descriptors.indices { descriptors[i].events &= ~Int16(POLLOUT) }
    descriptors.append(pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0))
  }

  /// One line for `status`, made once when the output is opened: device, rate, format, buffer, and buffer strategy.
  package var summary: String {
    let milliseconds = { (frames: Int) in frames * 1000 / self.rate.hertz }
    let mode =
      switch strategy {
      case .deep(let queue, let margin):
        "deep buffer, \(milliseconds(queue)) ms queued, answers in \(milliseconds(margin)) ms"
      case .shallow(let queue): "short buffer, \(milliseconds(queue)) ms queued (no rewind)"
      case .offline: "offline"
      }
    return "ALSA \(name): \(rate.hertz) Hz, \(setup.layout.format.name), \(setup.layout.channels) ch, "
      + "period \(setup.period), buffer \(setup.buffer) frames; \(mode)"
  }

  private func handle() throws(PCMFault) -> OpaquePointer {
    guard let card else { throw .lost }
    return card.pcm
  }

  package func prepare() throws(PCMFault) {
    isRunning = false
    let pcm = try handle()
    switch snd_pcm_state(pcm) {
    case SND_PCM_STATE_PREPARED: return
    case SND_PCM_STATE_RUNNING, SND_PCM_STATE_DRAINING: _ = snd_pcm_drop(pcm)
    default: break
    }
    try Self.check(snd_pcm_prepare(pcm))
  }

  package func resume() -> Resumption {
    guard let pcm = card?.pcm else { return .refused }
    let code = snd_pcm_resume(pcm)
    if code == -EAGAIN { return .later }
    // Some drivers report success without running.
    guard code >= 0, snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING else { return .refused }
    isRunning = true
    return .playing
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
    let refined = RewindProbe.refined(strategy, of: pcm, setup: setup)
    if case .shallow = refined { forgoRewinding() }
    strategy = refined
  }

  package func available() throws(PCMFault) -> Int {
    let pcm = try handle()
    // Not snd_pcm_avail_update, which does not query the hardware (docs/decisions/0005-deep-buffer.md).
    let room = snd_pcm_avail(pcm)
    try Self.check(Int32(clamping: min(room, 0)))
    // Plugins still return frame counts after the card behind them has gone.
    switch snd_pcm_state(pcm) {
    case SND_PCM_STATE_DISCONNECTED: throw .lost
    case SND_PCM_STATE_SUSPENDED: throw .suspended
    case SND_PCM_STATE_XRUN: throw .underrun
    default: break
    }
    let available = min(room, setup.buffer)
    // The delay beyond the buffer: FIFOs, USB packets, a network.
    var delay = 0
    if snd_pcm_delay(pcm, &delay) >= 0 {
      latency = max(0, min(delay - (setup.buffer - available), 2 * rate.hertz))
    }
    return available
  }

  package func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int {
    guard let card else { throw .lost }
    let written = card.writer.write(bytes, frames: frames, to: card.pcm)
    if written == -Int(EAGAIN) { return 0 }
    try Self.check(Int32(clamping: min(written, 0)))
    return written
  }

  package func rewind(_ frames: Int) -> Int {
    guard let card else { return 0 }
    let rewindable = min(frames, Int(snd_pcm_rewindable(card.pcm)))
    let whole = rewindable - rewindable % card.blockFrames
    guard whole > 0 else { return 0 }
    return max(0, Int(snd_pcm_rewind(card.pcm, UInt(whole))))
  }

  package func stop() {
    isRunning = false
    guard let card else { return }
    _ = snd_pcm_drop(card.pcm)
    // The running device proved unfit for a deep buffer. Now that it is stopped, configure the short buffer.
    guard case .shallow = strategy, card.setup.isLong else { return }
    if card.shorten() {
      setup = card.setup
      strategy = card.strategy
      watch(card.pcm)
    } else {
      slot.dispose(of: card)
      self.card = nil
    }
  }

  package func forgoRewinding() {
    slot.forgoRewinding()
    strategy = RewindProbe.shallow(setup)
  }

  package func reopen() -> Bool {
    isRunning = false
    if let card {
      self.card = nil
      slot.dispose(of: card)
      comingBack.request()
      return false
    }
    guard comingBack.isBack(), let card = slot.take() else { return false }
    self.card = card
    setup = card.setup
    strategy = card.strategy
    isRefined = false
    watch(card.pcm)
    return true
  }

  package func now() -> UInt64 { MonotonicClock.now() }

  package func wait(_ nanoseconds: Int64?) {
    guard isRunning, let pcm = card?.pcm, let nanoseconds, descriptors.count > 1 else {
      return wakeUp.wait(nanoseconds)
    }
    let end = now() + UInt64(max(0, nanoseconds))
    let count = descriptors.count - 1
    var falseAlarms = 0
    while true {
      let current = now()
      guard current < end else { return }
      // A descriptor that is always ready would make this loop spin.
      guard falseAlarms < 8 else { return wakeUp.wait(Int64(end - current)) }
      falseAlarms += 1
      var time = timespec(
        tv_sec: Int((end - current) / 1_000_000_000), tv_nsec: Int((end - current) % 1_000_000_000))
      guard clinux_ppoll(&descriptors, UInt(count + 1), &time) > 0 else { return }
      if descriptors[count].revents != 0 { return wakeUp.clear() }
      var events: UInt16 = 0
      let isBroken = descriptors[..<count].contains { $0.revents & Self.broken != 0 }
      guard !isBroken, snd_pcm_poll_descriptors_revents(pcm, &descriptors, UInt32(count), &events) == 0,
        events & UInt16(Self.broken) == 0
      else {
        // Stop polling the descriptors; the next call to the card returns the error.
        isRunning = false
        return
      }
    }
  }

  /// Poll events of a card that stops or disappears. Some plugins do not forward them.
  private static let broken = Int16(POLLERR | POLLHUP | POLLNVAL)

  package func wake() { wakeUp.signal() }

  /// Maps ALSA's error numbers to the faults that the audio loop handles.
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
