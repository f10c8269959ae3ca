// A fake live source. Test threads.

import AudioRing
import PlaybackModel
import Player

final class FakeReceiver: LiveReceiver {
  private let layout = RingLayout(rate: SampleRate(44_100))
  private let base: UnsafeMutableRawPointer
  private var writer: RingWriter
  var onEvents: () -> Void = {}
  private(set) var calls: [String] = []
  /// Called when the ring is released.
  var onEnd: () -> Void = {}

  /// Creates a receiver that has received `frames` frames of a constant sample, by default silence.
  init(frames: Int, sample: Float = 0) {
    base = .allocate(byteCount: layout.totalBytes, alignment: 4096)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: layout.totalBytes)
    writer = RingWriter(layout: layout, base: base)
    send(frames, sample)
  }

  deinit {
    base.deallocate()
    onEnd()
  }

  /// Writes frames, as many as fit.
  func send(_ frames: Int, _ sample: Float = 0) {
    var left = frames
    while left > 0 {
      let space = writer.contiguous()
      let count = min(left, space.count / 2)
      guard count > 0 else { return }
      for i in 0..<2 * count { space[i] = sample }
      writer.commit(count)
      left -= count
    }
  }

  var ring: RingReader { RingReader(layout: layout, base: base) }
  var figures: LiveFigures.Values { LiveFigures.Values() }
  func takeEvents() -> [LiveEvent] { [] }
  func dismiss() { calls.append("dismiss") }
  func listen() { calls.append("listen") }
  func terminate() { calls.append("terminate") }
}
