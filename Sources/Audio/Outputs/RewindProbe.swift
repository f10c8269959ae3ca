// Tests whether frames queued in an ALSA PCM can be rewound and rewritten, and how close to the hardware pointer. Runs
// on the thread that opens the device, except `refined`. Background: docs/decisions/0005-deep-buffer.md.

import CALSA
import CLinux
import PlaybackModel
import Platform
import RealtimeAudio

/// Chooses between the deep and the shallow buffer strategy.
enum RewindProbe {
  /// Whether the PCM type allows the deep strategy.
  static func mayBeDeep(_ pcm: OpaquePointer, isBatch: Bool) -> Bool {
    switch snd_pcm_type(pcm) {
    case SND_PCM_TYPE_HW: !isBatch || isUSB(pcm)
    // External plugins are decided by the probe; the virtual card of the tests is such a plugin.
    case SND_PCM_TYPE_IOPLUG: !isBatch
    // Plugins in front of a card forward rewinds unless they convert samples; the probe finds out.
    case SND_PCM_TYPE_PLUG, SND_PCM_TYPE_HOOKS, SND_PCM_TYPE_IEC958, SND_PCM_TYPE_SOFTVOL, SND_PCM_TYPE_ROUTE,
      SND_PCM_TYPE_LINEAR, SND_PCM_TYPE_LINEAR_FLOAT, SND_PCM_TYPE_COPY, SND_PCM_TYPE_MMAP_EMUL:
      (!isBatch || isUSB(pcm)) && !isShared(pcm)
    default: false
    }
  }

  /// Whether the PCM's plugin chain mixes several programs or converts the rate.
  ///
  /// Rewinding one program's part does not remove it from the frames that are already mixed, even if the plugin reports success.
  private static func isShared(_ pcm: OpaquePointer) -> Bool {
    let words = description(of: pcm)
    return ["Direct S", "Share PCM", "Rate conversion"].contains { words.has($0) }
  }

  /// Granularity of rewinds in frames: 192 for IEC 958, whose blocks are numbered, else 1.
  static func blockFrames(of pcm: OpaquePointer) -> Int {
    description(of: pcm).has("IEC958") ? 192 : 1
  }

  /// ALSA's human-readable dump of a PCM and its plugin chain. No other call describes the chain.
  private static func description(of pcm: OpaquePointer) -> PlainText {
    var output: OpaquePointer?
    guard snd_output_buffer_open(&output) >= 0, let output else { return PlainText(bytes: []) }
    defer { snd_output_close(output) }
    snd_pcm_dump(pcm, output)
    var text: UnsafeMutablePointer<CChar>?
    let length = snd_output_buffer_string(output, &text)
    guard let text, length > 0 else { return PlainText(bytes: []) }
    return PlainText(
      bytes: UnsafeBufferPointer(start: text, count: length).map { UInt8(bitPattern: $0) })
  }

  /// Bytes with a substring search.
  private struct PlainText {
    let bytes: [UInt8]

    func has(_ word: StaticString) -> Bool {
      let count = word.utf8CodeUnitCount
      guard bytes.count >= count else { return false }
      return (0...bytes.count - count).contains { start in
        (0..<count).allSatisfy { bytes[start + $0] == word.utf8Start[$0] }
      }
    }
  }

  /// USB audio reports itself as a batch device, but its pointer moves as data is copied.
  private static func isUSB(_ pcm: OpaquePointer) -> Bool {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) >= 0, let info else { return false }
    defer { snd_pcm_info_free(info) }
    guard snd_pcm_info(pcm, info) >= 0, let name = snd_pcm_info_get_id(info) else { return false }
    return String(cString: name).hasPrefix("USB")
  }

  /// Chooses the strategy of an open, configured PCM before it plays: deep if silence can be rewound and rewritten.
  ///
  /// The movement of the hardware pointer can be checked only during playback; see `refined`.
  static func strategy(
    of pcm: OpaquePointer, setup: ALSASetup, writer: CardWriter, mode: BufferMode
  ) -> BufferStrategy {
    guard mode != .shallow, mayBeDeep(pcm, isBatch: setup.isBatch), setup.buffer >= 3 * setup.period,
      let rewrite = rewriteTime(pcm, setup: setup, writer: writer)
    else { return shallow(setup) }
    return deep(setup, step: 0, rewrite: rewrite)
  }

  /// Checks a deep strategy on a PCM that has just started, with at least 100 ms queued.
  ///
  /// Samples the hardware pointer every millisecond for 30 ms. If the pointer jumps, rewinding close to it is unsafe.
  /// Audio thread.
  ///
  /// - Returns: The strategy with an adjusted margin, or a shallow one.
  static func refined(
    _ strategy: BufferStrategy, of pcm: OpaquePointer, setup: ALSASetup
  ) -> BufferStrategy {
    guard case .deep(_, let margin) = strategy else { return strategy }
    let begin = MonotonicClock.now()
    var asked = begin
    var last = snd_pcm_avail(pcm)
    var worstStep = 0
    var moves = 0
    while asked - begin < 30_000_000 {
      var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
      _ = clinux_ppoll(nil, 0, &pause)
      let previous = asked
      asked = MonotonicClock.now()
      let now = snd_pcm_avail(pcm)
      guard now >= 0 else { return strategy }
      guard now != last else { continue }
      // Subtract the time since the previous sample, which a busy machine may stretch.
      let passed = setup.rate.frames(Seconds(Double(MonotonicClock.now() - previous) / 1e9))
      // Skip the first step, which includes the time before the first sample.
      if moves > 0 { worstStep = max(worstStep, Int(now - last) - Int(passed.count)) }
      moves += 1
      last = now
    }
    // A pointer with fewer moves advances by whole periods.
    guard moves > 1 else { return shallow(setup, step: setup.period) }
    guard worstStep < Int(setup.rate.frames(Seconds(0.004)).count) else {
      return shallow(setup, step: worstStep)
    }
    return deep(setup, step: worstStep, rewrite: margin - minimumMargin(setup))
  }

  /// A short queue of at least two periods plus the pointer's step.
  ///
  /// The card takes one period at a time, so a second period must be queued while the loop refills it.
  static func shallow(_ setup: ALSASetup, step: Int = 0) -> BufferStrategy {
    let wanted = Int(setup.rate.frames(Seconds(0.04)).count)
    return .shallow(queue: min(setup.buffer, max(wanted, 2 * setup.period + step)))
  }

  private static func deep(_ setup: ALSASetup, step: Int, rewrite: Int) -> BufferStrategy {
    .deep(queue: setup.buffer, margin: max(minimumMargin(setup), 2 * step) + rewrite)
  }

  private static func minimumMargin(_ setup: ALSASetup) -> Int {
    Int(setup.rate.frames(Seconds(0.010)).count)
  }

  /// Frames that play while 50 ms of silence are rewound and rewritten; nil if the device fails. Nothing is audible.
  private static func rewriteTime(_ pcm: OpaquePointer, setup: ALSASetup, writer: CardWriter) -> Int? {
    // A multiple of 192, for PCMs that rewind only whole IEC 958 blocks.
    let half = Int(setup.rate.frames(Seconds(0.05)).count) / 192 * 192
    defer { _ = snd_pcm_drop(pcm) }
    guard snd_pcm_prepare(pcm) >= 0, writer.writeSilence(frames: 2 * half, to: pcm) else { return nil }
    let started = MonotonicClock.now()
    guard snd_pcm_avail(pcm) >= 0, snd_pcm_rewindable(pcm) >= half,
      snd_pcm_rewind(pcm, UInt(half)) == half, writer.writeSilence(frames: half, to: pcm)
    else { return nil }
    return Int(setup.rate.frames(Seconds(Double(MonotonicClock.now() - started) / 1e9)).count)
  }
}
