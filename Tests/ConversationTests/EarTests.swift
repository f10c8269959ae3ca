// The checker of conversations detects a single lost, repeated, altered or non-finite frame. Test threads.

import RealTimeSupport
import Testing

@testable import Conversations

@Suite(.realTime) struct EarTests {
  /// The checker's finding for frames of the first track, given by number.
  private static func finding(_ frames: [Int], gain: Float = 1, altering: (Int, Float)? = nil) -> String? {
    let ear = Ear()
    ear.lengths = [4000, 4000]
    var samples: [Float] = []
    for frame in frames {
      samples.append(HealthySignal.level * gain)
      samples.append(HealthySignal.level * HealthySignal.ratio(frame) * gain)
    }
    if let altering { samples[altering.0] = altering.1 }
    samples.withUnsafeBufferPointer { ear.hear($0.baseAddress!, frames: frames.count) }
    return ear.finding
  }

  @Test(arguments: [1, 0.5, 0.7071, 1e-3, 1e-7] as [Float])
  func whatIsWholeIsWholeAtAnyGain(gain: Float) {
    #expect(Self.finding(Array(0..<4000), gain: gain) == nil)
  }

  @Test(arguments: [1, 100, 2000, 3900])
  func aLostFrameIsNoticed(frame: Int) {
    #expect(Self.finding(Array(0..<frame + 99) + Array((frame + 100)..<4000) + Array(0..<100)) != nil)
  }

  @Test func aRepeatedFrameIsNoticed() {
    #expect(Self.finding(Array(0..<2000) + Array(1999..<4000)) != nil)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, 1.0001, -1.0001])
  func aSampleThatIsNoneIsNoticed(sample: Float) {
    #expect(Self.finding(Array(0..<4000), altering: (2001, sample)) != nil)
  }

  @Test func aTrackThatIsLeftEarlyIsNoticed() {
    #expect(Self.finding(Array(0..<3900) + Array(0..<4000)) != nil)
    #expect(Self.finding(Array(0..<4000) + Array(0..<4000)) == nil)
  }
}
