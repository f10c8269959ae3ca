// Faults of a sound card during playback through the real libasound: only the frames of a ramp are affected,
// and the track continues at its position. Test threads.
import Foundation
import Outputs
import PlaybackModel
import RealtimeAudio
import Testing
import VirtualCardSupport

extension CardTests {
  @Suite struct CardFaultTests {
    /// Frames that a ramp after a gap may cover, plus a margin.
    private static let ramp = 500

    /// The numbers of the recorded frames that were played at full level; nil elsewhere. Dither after a ramp
    /// affects only the last of 32 bits, far below the numbers.
    private func numbers(_ card: VirtualCard) -> [Int?] {
      let samples = card.recording(as: Int32.self)
      return (0..<samples.count / 2).map { i in
        let number = (Int(samples[2 * i]) + 128) >> 8
        let right = Float((number &* 7919) % 65536 - 32768) / 131072
        let isWhole = abs(Float(samples[2 * i + 1]) / 2_147_483_648 - right) < 1e-6
        return number > 0 && isWhole ? number - 1 : nil
      }
    }

    /// Contiguous pieces played at full level, with their places in the recording. Single frames within a
    /// ramp may match by chance.
    private func pieces(_ card: VirtualCard) -> [(place: Int, numbers: ClosedRange<Int>)] {
      var pieces: [(place: Int, numbers: ClosedRange<Int>)] = []
      for (place, number) in numbers(card).enumerated() {
        guard let number else { continue }
        if let last = pieces.last, number == last.numbers.upperBound + 1,
          place - last.place == number - last.numbers.lowerBound
        {
          pieces[pieces.count - 1].numbers = last.numbers.lowerBound...number
        } else {
          pieces.append((place, number...number))
        }
      }
      return pieces.filter { $0.numbers.count > 20 }
    }

    /// Checks that the gap between two pieces equals the ramps, within `tolerance` frames.
    private func expectOneGap(_ card: VirtualCard, tolerance: Int, ramp: Int = ramp) throws {
      let pieces = pieces(card)
      try #require(pieces.count == 2, "\(pieces)")
      #expect(pieces[0].numbers.lowerBound == 0)
      // The frames between the pieces were played with a ramp: numbers and places advance equally.
      let placesGone = pieces[1].place - pieces[0].place - pieces[0].numbers.count
      let numbersGone = pieces[1].numbers.lowerBound - pieces[0].numbers.upperBound - 1
      #expect(placesGone <= ramp)
      #expect(
        abs(numbersGone - placesGone) <= tolerance, "\(numbersGone) of the track in \(placesGone) frames")
    }

    @Test(arguments: [BufferMode.automatic, .shallow], [false, true])
    func playsOnAfterAnXrunOrASleep(mode: BufferMode, isSleep: Bool) throws {
      var options = cardOptions
      options.mode = mode
      let card = try plainCard { $0.canResume = !isSleep }
      let rig = try CardRig(card, options)
      rig.play(Track(1 << 18))
      #expect(rig.hear(11_003))
      if isSleep { card.suspend() } else { card.injectXrun() }
      #expect(rig.wait { $0.underruns == 1 })
      #expect(rig.hear(15_000))
      rig.stop()
      #expect(rig.underruns == 1 && rig.lostAt.isEmpty)
      // The time until the loop noticed is estimated by the clock, on a machine that may be busy.
      try expectOneGap(card, tolerance: 2205)
    }

    /// Unplugged at any moment: the loss is reported, the card is waited for, and playback continues at its
    /// position.
    @Test(arguments: [1, 2000, 9000, 21_000], [BufferMode.automatic, .shallow])
    func playsOnWhenTheDeviceReturns(heard: Int, mode: BufferMode) throws {
      var options = cardOptions
      options.mode = mode
      let card = try plainCard()
      let rig = try CardRig(card, options)
      rig.play(Track(1 << 18))
      #expect(rig.hear(heard))
      card.unplug(openError: 19)
      #expect(rig.wait { !$0.lostAt.isEmpty }, "output lost is reported")
      #expect(rig.wait { $0.has { if case .paused = $0 { true } else { false } } })
      card.plugIn()
      #expect(rig.wait { $0.restorations == 1 })
      rig.send([.openGate(ramp: Frames(441))])
      #expect(rig.hear(15_000))
      rig.stop()
      #expect(rig.lostAt.count == 1 && rig.restorations == 1)
      let pieces = pieces(card)
      if heard > 1 { try expectOneGap(card, tolerance: 2205) }
      let back = try #require(pieces.last)
      let lost = try #require(rig.lostAt.first)
      #expect((lost...lost + Self.ramp).contains(back.numbers.lowerBound), "at the frame that was reported")
    }

    /// Unplugged while paused: the loss is noticed when playback resumes.
    @Test func aLossWhilePausedIsToldWhenPlayGoesOn() throws {
      let card = try plainCard()
      let rig = try CardRig(card, cardOptions)
      rig.play(Track(1 << 18))
      #expect(rig.hear(5000))
      rig.send([.closeGate(.pause, ramp: Frames(441))])
      #expect(rig.wait { $0.link.isParked })
      card.unplug(openError: 19)
      rig.send([.openGate(ramp: Frames(441))])
      #expect(rig.wait { $0.lostAt.count == 1 })
      card.plugIn()
      #expect(rig.wait { $0.restorations == 1 })
      rig.send([.openGate(ramp: Frames(441))])
      #expect(rig.hear(10_000))
      rig.stop()
      // The ramp out, silence, the ramp in.
      let pieces = pieces(card)
      try #require(pieces.count == 2)
      let gone = pieces[1].numbers.lowerBound - pieces[0].numbers.upperBound
      #expect((800...1000).contains(gone), "two ramps of 441 frames and nothing else")
    }

    /// Repeated losses, also while the device returns.
    @Test func manyLossesInARow() throws {
      let card = try plainCard()
      let rig = try CardRig(card, cardOptions)
      rig.play(Track(1 << 18))
      for turn in 1...4 {
        #expect(rig.hear(1500))
        card.unplug(openError: turn % 2 == 0 ? 16 : 19)
        #expect(rig.wait { $0.lostAt.count == turn })
        card.plugIn()
        #expect(rig.wait { $0.restorations == turn })
        rig.send([.openGate(ramp: Frames(441))])
      }
      #expect(rig.hear(5000))
      rig.stop()
      #expect(rig.lostAt == rig.lostAt.sorted(), "never backwards")
    }

    /// A clock that stops, runs slowly or runs fast only delays the periods.
    @Test(arguments: [BufferMode.automatic, .shallow])
    func slowPeriodsAreNoMatter(mode: BufferMode) throws {
      var options = cardOptions
      options.mode = mode
      let card = try plainCard()
      let rig = try CardRig(card, options)
      rig.play(Track(1 << 18))
      #expect(rig.hear(3000))
      card.stall(milliseconds: 150)
      #expect(rig.hear(3000))
      card.setSpeed(0.7)
      #expect(rig.hear(9000))
      card.setSpeed(1.05)
      #expect(rig.hear(20_000))
      rig.stop()
      #expect(rig.underruns == 0 && rig.lostAt.isEmpty)
      let pieces = pieces(card)
      #expect(pieces.count == 1 && pieces.first?.numbers.lowerBound == 0, "every frame once")
    }
  }
}
