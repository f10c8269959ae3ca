// Finds out whether what was written to a PCM can be taken back and written again, and how close to the
// hardware. Whoever opens the device, before it plays. Why so: docs/decisions/0005-deep-buffer.md.

import CALSA
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
    default: false
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
  static func strategy(of pcm: OpaquePointer, setup: ALSASetup, mode: BufferMode) -> BufferStrategy {
    guard mode != .shallow, mayBeDeep(pcm, isBatch: setup.isBatch), setup.buffer >= 3 * setup.period,
      let rewrite = rewriteTime(pcm, setup: setup)
    else { return shallow(setup) }
    return deep(setup, step: 0, rewrite: rewrite)
  }

  /// The strategy for a PCM that has just begun to play and has at least 100 ms queued: watches its pointer
  /// for 30 ms, as fast as it answers. A pointer that jumps cannot be trusted close to the hardware.
  static func refined(
    _ strategy: BufferStrategy, of pcm: OpaquePointer, setup: ALSASetup
  ) -> BufferStrategy {
    guard case .deep(_, let margin) = strategy else { return strategy }
    var last = snd_pcm_avail(pcm)
    var worstStep = 0
    var moves = 0
    let begin = MonotonicClock.now()
    var asked = begin
    while asked - begin < 30_000_000 {
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
    guard moves > 1, worstStep < Int(setup.rate.frames(Seconds(0.005)).count) else { return shallow(setup) }
    return deep(setup, step: worstStep, rewrite: margin - minimumMargin(setup))
  }

  private static func shallow(_ setup: ALSASetup) -> BufferStrategy {
    .shallow(queue: min(setup.buffer, Int(setup.rate.frames(Seconds(0.04)).count)))
  }

  private static func deep(_ setup: ALSASetup, step: Int, rewrite: Int) -> BufferStrategy {
    .deep(queue: setup.buffer, margin: max(minimumMargin(setup), 2 * step) + rewrite)
  }

  private static func minimumMargin(_ setup: ALSASetup) -> Int {
    Int(setup.rate.frames(Seconds(0.010)).count)
  }

  /// Frames that pass while 50 ms of silence are taken back and written again; nil if the device does not
  /// do as it is asked. Nothing is played.
  private static func rewriteTime(_ pcm: OpaquePointer, setup: ALSASetup) -> Int? {
    let length = Int(setup.rate.frames(Seconds(0.1)).count)
    let half = length / 2
    let bytes = length * setup.format.bytes * setup.channels
    let silence = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
    defer { silence.deallocate() }
    silence.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    defer { _ = snd_pcm_drop(pcm) }
    guard snd_pcm_prepare(pcm) >= 0, snd_pcm_writei(pcm, silence, UInt(length)) == length else { return nil }
    let started = MonotonicClock.now()
    guard snd_pcm_avail(pcm) >= 0, snd_pcm_rewindable(pcm) >= half,
      snd_pcm_rewind(pcm, UInt(half)) == half, snd_pcm_writei(pcm, silence, UInt(half)) == half
    else { return nil }
    return Int(setup.rate.frames(Seconds(Double(MonotonicClock.now() - started) / 1e9)).count)
  }
}
