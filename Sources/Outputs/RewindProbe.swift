// Finds out whether what was written to a PCM can be taken back and written again, and how close to the
// hardware. Whoever opens the device, before it plays. Method and numbers: shared/DEEP-BUFFER.md.

import CALSA
import Platform
import PlaybackModel
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

  /// The strategy for an open, configured PCM. Plays about 60 ms of silence to learn how its pointer moves.
  static func strategy(of pcm: OpaquePointer, setup: ALSASetup, mode: BufferMode) -> BufferStrategy {
    let shallow = BufferStrategy.shallow(
      queue: min(setup.buffer, Int(setup.rate.frames(Seconds(0.04)).count)))
    guard mode != .shallow, mayBeDeep(pcm, isBatch: setup.isBatch), setup.buffer >= 3 * setup.period,
      let margin = probe(pcm, setup: setup)
    else { return shallow }
    return .deep(queue: setup.buffer, margin: margin)
  }

  /// Rewinds and rewrites queued silence while the device plays it. The safe margin in frames, or nil if the
  /// device does not do as it is asked.
  private static func probe(_ pcm: OpaquePointer, setup: ALSASetup) -> Int? {
    let rate = setup.rate
    let length = Int(rate.frames(Seconds(0.15)).count)
    let bytes = length * setup.format.bytes * setup.channels
    let silence = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
    defer { silence.deallocate() }
    silence.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    defer { _ = snd_pcm_drop(pcm) }
    guard snd_pcm_prepare(pcm) >= 0, snd_pcm_writei(pcm, silence, UInt(length)) == length,
      snd_pcm_start(pcm) >= 0
    else { return nil }
    var worstStep = 0
    var last = snd_pcm_avail(pcm)
    let begin = MonotonicClock.now()
    var asked = begin
    var isMoving = false
    // Steps of the pointer over 40 ms, asked as fast as it answers.
    while asked - begin < 40_000_000 {
      let previous = asked
      asked = MonotonicClock.now()
      let now = snd_pcm_avail(pcm)
      let answered = MonotonicClock.now()
      guard now >= 0 else { return nil }
      if now != last {
        // What passed since it was asked before, by a busy machine perhaps, is no step of the pointer's.
        let passed = Int(rate.frames(Seconds(Double(answered - previous) / 1e9)).count)
        // The first step also holds what passed before the loop began to look.
        if isMoving { worstStep = max(worstStep, Int(now - last) - passed) }
        isMoving = true
        last = now
      }
    }
    guard isMoving, worstStep < Int(rate.frames(Seconds(0.005)).count) else { return nil }
    let wanted = Int(rate.frames(Seconds(0.05)).count)
    var rewrite = UInt64.max
    for _ in 0..<3 {
      let started = MonotonicClock.now()
      guard snd_pcm_avail(pcm) >= 0, snd_pcm_rewindable(pcm) >= wanted,
        snd_pcm_rewind(pcm, UInt(wanted)) == wanted,
        snd_pcm_writei(pcm, silence, UInt(wanted)) == wanted
      else { return nil }
      // The quickest is the device's own; this thread, unlike the one that plays, may be held up.
      rewrite = min(rewrite, MonotonicClock.now() - started)
    }
    let rewriteFrames = Int(rate.frames(Seconds(Double(2 * rewrite) / 1e9)).count)
    return max(Int(rate.frames(Seconds(0.010)).count), 2 * worstStep + rewriteFrames)
  }
}
