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
  private let wakeUp: WakeUp
  /// What the audio thread and the thread that gets a lost card back hand over to each other.
  private let slot: CardSlot
  private let comingBack: DeviceReturn
  private var card: OpenCard?
  /// Rate, format and buffer as they were agreed last.
  private var setup: ALSASetup
  /// Whether the strategy was checked against the playing device.
  private var isRefined = false
  /// The card's own descriptors, which tell at once when it stops or goes.
  private var descriptors: [pollfd] = []
  /// Whether it plays, so that its descriptors mean something.
  private var isRunning = false

  /// The negotiated values.
  package var rate: SampleRate { setup.rate }
  /// The sample format that is rendered.
  package var format: SampleFormat { setup.format }
  /// One or two, whatever the card has beside these.
  package var channels: Int { setup.channels }
  /// Frames of the device's buffer.
  package var bufferFrames: Int { setup.buffer }
  /// Deep or shallow, as the device's type and a probe tell.
  package private(set) var strategy: BufferStrategy
  package private(set) var latency = 0
  package var announcesReturn: Bool { true }

  /// Reads ALSA's configuration, which the first card to be opened would have to wait for.
  package static func prepareLibrary() {
    calsa_silence_library()
    snd_config_update()
  }

  /// Opens and configures a PCM. Errors name the device, the reason and what to do.
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

  /// Where the kernel shows sound cards.
  private static let folder = "/dev/snd"

  /// Notes what to wait for. Room in the buffer is none of it: the loop knows by itself when that comes.
  private func watch(_ pcm: OpaquePointer) {
    let count = max(0, Int(snd_pcm_poll_descriptors_count(pcm)))
    descriptors = Array(repeating: pollfd(), count: count + 1)
    let found = snd_pcm_poll_descriptors(pcm, &descriptors, UInt32(count))
    descriptors.removeLast(count + 1 - max(0, Int(found)))
    for i in descriptors.indices { descriptors[i].events &= ~Int16(POLLOUT) }
    descriptors.append(pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0))
  }

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
    // Some say that they have, and have not.
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
    // Not avail_update: that one does not ask the hardware (DEEP-BUFFER, pitfall 1).
    let room = snd_pcm_avail(pcm)
    try Self.check(Int32(clamping: min(room, 0)))
    // Plugins answer with numbers when the card behind them has gone.
    switch snd_pcm_state(pcm) {
    case SND_PCM_STATE_DISCONNECTED: throw .lost
    case SND_PCM_STATE_SUSPENDED: throw .suspended
    case SND_PCM_STATE_XRUN: throw .underrun
    default: break
    }
    let available = min(room, setup.buffer)
    // What a person hears is behind the buffer, too: FIFOs, USB packets, a network.
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
    // Found unfit for a long queue: at rest it can get the short buffer that it should have had.
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
      // A descriptor that is always ready would keep the thread spinning.
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
        // Told once: whatever it is, the next call to the card says it.
        isRunning = false
        return
      }
    }
  }

  /// What a descriptor says of a card that stops or goes. Some plugins do not pass it on.
  private static let broken = Int16(POLLERR | POLLHUP | POLLNVAL)

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
