// The capacity of a ring in seconds at each rate. Test threads.

import AudioRing
import PlaybackModel
import Testing

@Suite struct RingLayoutTests {
  @Test func aRingHoldsTwoSecondsAndAHalfBesideWhatIsKeptBehind() {
    for rate in stride(from: 8000, through: 384_000, by: 100) {
      let capacity = RingLayout(rate: SampleRate(rate)).capacity
      #expect(Double(capacity) >= 2.65 * Double(rate), "\(rate) Hz")
      #expect(
        capacity & (capacity - 1) == 0 && Double(capacity) < 2 * max(4096, 2.65 * Double(rate)), "\(rate) Hz")
    }
    #expect(RingLayout.retention == Seconds(0.15) && RingLayout.lead == Seconds(2.5))
    for rate in [44_100, 48_000] { #expect(RingLayout(rate: SampleRate(rate)).capacity == 131_072) }
  }
}
