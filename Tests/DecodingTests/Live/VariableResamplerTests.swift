// libsoxr's variable-rate mode under steering: no lost or extra frames, no steps, and no audible pitch
// change. Test threads.

import Foundation
import Testing

@testable import Decoding

@Suite struct VariableResamplerTests {
  static let hertz = 1000.0

  /// The output of a sine through a resampler whose ratio is steered up and down.
  private func convert(
    from source: Int, to engine: Int, seconds: Int, _ correction: (Int) -> Double
  ) throws -> [Float] {
    let converter = try VariableResampler(ResamplingLibrary(), from: source, to: engine)
    var output: [Float] = []
    var room = [Float](repeating: 0, count: 2 * 4096)
    let block = source / 50
    for number in 0..<seconds * 50 {
      if number % 50 == 0 { try converter.correct(by: correction(number / 50)) }
      var input: [Float] = []
      for i in 0..<block {
        let value = Float(0.5 * sin(2 * .pi * Self.hertz * Double(number * block + i) / Double(source)))
        input += [value, -value]
      }
      var first = 0
      while first < block {
        let (taken, written) = try input.withUnsafeBufferPointer { input in
          try room.withUnsafeMutableBufferPointer { room in
            try converter.process(
              input.baseAddress! + 2 * first, frames: block - first, into: room.baseAddress!, capacity: 4096)
          }
        }
        first += taken
        output += room[..<(2 * written)]
        if taken == 0, written == 0 { break }
      }
      #expect(first == block)
    }
    return output
  }

  @Test(arguments: [(44_100, 48_000), (44_100, 44_100), (48_000, 44_100), (8000, 48_000)])
  func whatIsSteeredIsWhole(source: Int, engine: Int) throws {
    let seconds = 20
    let plan: (Int) -> Double = { [0, 500, 1500, 2500, 1200, -300, -2500, -800][$0 % 8] }
    let output = try convert(from: source, to: engine, seconds: seconds, plan)
    let left = stride(from: 0, to: output.count, by: 2).map { output[$0] }
    // The frames that the ratios produce, apart from the resampler's latency and a tenth of a second per
    // change.
    let expected = (0..<seconds).reduce(0.0) { $0 + Double(engine) / (1 + plan($1) / 1e6) }
    #expect(abs(Double(left.count) - expected) < Double(engine) / 28, "\(left.count), not \(expected)")
    // The steps of a sine are limited by its slope; a lost or repeated frame would exceed it.
    let body = left.dropFirst(engine / 4)
    let steepest = Float(0.5 * 2 * .pi * Self.hertz / Double(engine) * 1.01)
    let step = zip(body, body.dropFirst()).map { abs($1 - $0) }.max() ?? 0
    #expect(step < steepest, "a step of \(step)")
    #expect(
      zip(output, output.dropFirst()).enumerated().allSatisfy {
        $0.offset % 2 == 1 || abs($0.element.0 + $0.element.1) < 1e-5
      })
    let peak = body.map { abs($0) }.max() ?? 0
    #expect(abs(peak - 0.5) < 0.005, "a peak of \(peak)")
  }

  @Test func itsPitchIsWithinFiveCents() throws {
    let rate = 48_000
    let output = try convert(from: 44_100, to: rate, seconds: 20) { $0 % 2 == 0 ? 2500 : -2500 }
    let left = stride(from: 0, to: output.count, by: 2).map { output[$0] }
    // The rising zero crossings, to a fraction of a frame.
    var crossings: [Double] = []
    for i in rate..<(left.count - 1) where left[i] < 0 && left[i + 1] >= 0 {
      crossings.append(Double(i) + Double(-left[i] / (left[i + 1] - left[i])))
    }
    for i in stride(from: 0, to: crossings.count - 250, by: 250) {
      let hertz = 250 * Double(rate) / (crossings[i + 250] - crossings[i])
      let cents = 1200 * log2(hertz / Self.hertz)
      #expect(abs(cents) < 5, "\(cents) cents at \(crossings[i] / Double(rate)) s")
    }
    #expect(crossings.count > 18_000)
  }
}
