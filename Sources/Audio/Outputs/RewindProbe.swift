// Finds out whether what was written to a PCM can be taken back and written again, and how close to the
// hardware. Whoever opens the device, before it plays. Why so: docs/decisions/0005-deep-buffer.md.

import CALSA
import CLinux
import PlaybackModel
import Platform
import RealtimeAudio

/// The choice between deep and shallow.
enum RewindProbe {
  /// Whether a PCM's kind allows the deep strategy at all.
  static func mayBeDeep(_ pcm: OpaquePointer, isBatch: Bool) -> Bool {
    switch snd_pcm_type(pcm) {
    case SND_PCM_TYPE_HW: !isBatch || isUSB(pcm)
    // External plugins decide in the probe; the virtual card of the tests is one.
    case SND_PCM_TYPE_IOPLUG: !isBatch
    // What stands in front of a card passes rewinds on, unless it converts; the probe finds out.
    case SND_PCM_TYPE_PLUG, SND_PCM_TYPE_HOOKS, SND_PCM_TYPE_IEC958, SND_PCM_TYPE_SOFTVOL, SND_PCM_TYPE_ROUTE,
      SND_PCM_TYPE_LINEAR, SND_PCM_TYPE_LINEAR_FLOAT, SND_PCM_TYPE_COPY, SND_PCM_TYPE_MMAP_EMUL:
      (!isBatch || isUSB(pcm)) && !isShared(pcm)
    default: false
    }
  }

  /// Whether something in the chain mixes several programs, or converts the rate: what was mixed is not taken back
  /// by taking back one program's part, whatever the plugin answers.
  private static func isShared(_ pcm: OpaquePointer) -> Bool {
    let words = description(of: pcm)
    return ["Direct S", "Share PCM", "Rate conversion"].contains { words.has($0) }
  }

  /// Frames that make up a block, in which alone frames can be taken back: an IEC 958 block has its own numbers.
  static func blockFrames(of pcm: OpaquePointer) -> Int {
    description(of: pcm).has("IEC958") ? 192 : 1
  }

  /// What ALSA says of a PCM and those behind it, for people; nothing else tells what is behind one.
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

  /// Bytes to look for words in.
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

  /// USB audio calls itself batch, but its pointer moves as data is copied.
  private static func isUSB(_ pcm: OpaquePointer) -> Bool {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) >= 0, let info else { return false }
    defer { snd_pcm_info_free(info) }
    guard snd_pcm_info(pcm, info) >= 0, let name = snd_pcm_info_get_id(info) else { return false }
    return String(cString: name).hasPrefix("USB")
  }

  /// The strategy for an open, configured PCM that does not play yet: deep if it takes back silence and
  /// takes it again. How its pointer moves shows only when it plays; see `refined`.
  static func strategy(
    of pcm: OpaquePointer, setup: ALSASetup, writer: CardWriter, mode: BufferMode
  ) -> BufferStrategy {
    guard mode != .shallow, mayBeDeep(pcm, isBatch: setup.isBatch), setup.buffer >= 3 * setup.period,
      let rewrite = rewriteTime(pcm, setup: setup, writer: writer)
    else { return shallow(setup) }
    return deep(setup, step: 0, rewrite: rewrite)
  }

  /// The strategy for a PCM that has just begun to play and has at least 100 ms queued: looks at its pointer
  /// every millisecond for 30 ms. A pointer that jumps cannot be trusted close to the hardware.
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
      // What passed since it was asked before, by a busy machine perhaps, is no step of the pointer's.
      let passed = setup.rate.frames(Seconds(Double(MonotonicClock.now() - previous) / 1e9))
      // The first step also holds what passed before anybody looked.
      if moves > 0 { worstStep = max(worstStep, Int(now - last) - Int(passed.count)) }
      moves += 1
      last = now
    }
    // One that moves less often than this moves by periods.
    guard moves > 1 else { return shallow(setup, step: setup.period) }
    guard worstStep < Int(setup.rate.frames(Seconds(0.004)).count) else {
      return shallow(setup, step: worstStep)
    }
    return deep(setup, step: worstStep, rewrite: margin - minimumMargin(setup))
  }

  /// A short queue that the card's period leaves room for: what is taken a period at a time is asked for in time only
  /// if another period is there, and so is what the pointer does not tell yet.
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

  /// Frames that pass while 50 ms of silence are taken back and written again; nil if the device does not
  /// do as it is asked. Nothing is played.
  private static func rewriteTime(_ pcm: OpaquePointer, setup: ALSASetup, writer: CardWriter) -> Int? {
    // Whole blocks, for those that have them.
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
