// Driver quirks: long periods, FIFOs, imprecise positions, suspends with a resume, and losses without an
// error. Test threads.
import Foundation
import Outputs
import PlaybackModel
import RealtimeAudio
import Testing
import VirtualCardSupport

extension CardTests {
  @Suite struct CardMannerTests {
    private func isDeep(_ strategy: BufferStrategy) -> Bool {
      if case .deep = strategy { true } else { false }
    }

    /// Checks that each frame of the track is in the recording once, from the first one on.
    private func expectWhole(_ card: VirtualCard, frames: Int) {
      let samples = card.recording(as: Int32.self)
      let numbers = (0..<samples.count / 2).map { (Int(samples[2 * $0]) + 128) >> 8 }.drop { $0 == 0 }
      let wrong = zip(numbers.prefix(frames), 1...).first { $0 != $1 }
      #expect(numbers.count >= frames && wrong == nil, "\(String(describing: wrong))")
    }

    @Test(arguments: [1024, 2048, 4096]) func aShortQueueLeavesRoomForThePeriod(period: Int) throws {
      let card = try plainCard {
        $0.periodFrames = period...period
        $0.granularity = -1
      }
      var options = cardOptions
      options.mode = .shallow
      let rig = try CardRig(card, options)
      rig.play(Track(1 << 16))
      #expect(rig.hear(30_000))
      rig.stop()
      #expect(rig.underruns == 0, "\(rig.device.summary)")
      expectWhole(card, frames: 30_000)
    }

    /// A card found unsuitable for the deep buffer during playback is switched to a short one at the next
    /// rest.
    @Test func aPointerThatJumpsCostsTheLongBufferAtTheNextRest() throws {
      let card = try plainCard { $0.granularity = 882 }
      let rig = try CardRig(card, cardOptions)
      rig.play(Track(1 << 18))
      #expect(rig.hear(8000))
      #expect(rig.link.isShallow && card.counters.buffer_size > 20_000)
      rig.send([.closeGate(.pause, ramp: Frames(441))])
      #expect(rig.wait { $0.link.isParked })
      #expect(card.counters.buffer_size < 4000)
      rig.send([.openGate(ramp: .zero)])
      #expect(rig.hear(20_000))
      rig.stop()
      #expect(rig.underruns == 0 && rig.device.strategy.queue <= 3000, "\(rig.device.summary)")
    }

    @Test func unfitStaysUnfitWhenItComesBack() throws {
      let card = try plainCard { $0.granularity = 882 }
      let rig = try CardRig(card, cardOptions)
      rig.play(Track(1 << 18))
      #expect(rig.hear(8000))
      #expect(!isDeep(rig.device.strategy))
      card.unplug(openError: 19)
      #expect(rig.wait { $0.lostAt.count == 1 })
      card.plugIn()
      #expect(rig.wait { $0.restorations == 1 })
      #expect(!isDeep(rig.device.strategy) && card.counters.buffer_size < 4000)
      rig.send([.openGate(ramp: .zero)])
      #expect(rig.hear(8000))
      #expect(!isDeep(rig.device.strategy))
      rig.stop()
    }

    /// Frames queued when the system was suspended play after the resume, without a loss.
    @Test(arguments: [BufferMode.automatic, .shallow])
    func aCardThatResumesGoesOnWithWhatItHas(mode: BufferMode) throws {
      let card = try plainCard()
      var options = cardOptions
      options.mode = mode
      let rig = try CardRig(card, options)
      rig.play(Track(1 << 18))
      #expect(rig.hear(11_003))
      let prepared = card.counters.prepares
      card.suspend()
      #expect(rig.hear(30_000))
      rig.stop()
      #expect(card.counters.resumes == 1 && card.counters.prepares == prepared)
      #expect(rig.underruns == 0 && rig.lostAt.isEmpty)
      expectWhole(card, frames: 40_000)
    }

    /// Positions and event times refer to the audible frame, behind the FIFO.
    @Test func positionsLagByWhatIsBehindTheBuffer() throws {
      let card = try plainCard { $0.fifo = 4410 }
      let rig = try CardRig(card, cardOptions)
      rig.play(Track(1 << 18))
      #expect(rig.hear(20_000))
      let reading = rig.link.reading()
      let played = try #require(card.frame(at: reading.time))
      #expect(abs(played - Int(reading.positions.frame.count) - 4410) < 100)
      #expect(rig.hear(30_000))
      rig.stop()
      #expect(rig.underruns == 0)
      expectWhole(card, frames: 50_000)
    }

    // MARK: Losses

    @Test(arguments: [VirtualCardSettings.Loss.shownByState, .silent], [BufferMode.automatic, .shallow])
    func aLossThatNothingTellsIsFound(loss: VirtualCardSettings.Loss, mode: BufferMode) throws {
      let card = try plainCard { $0.loss = loss }
      var options = cardOptions
      options.mode = mode
      let rig = try CardRig(card, options)
      rig.play(Track(1 << 18))
      #expect(rig.hear(9000))
      card.unplug(openError: 19)
      // A command is accepted during the loss.
      let id = rig.send([.setVolume(Gain(0.5), ramp: .zero)])
      #expect(rig.wait(3) { $0.lostAt.count == 1 })
      #expect(rig.wait { $0.applied(id) != nil })
      card.plugIn()
      #expect(rig.wait(8) { $0.restorations == 1 })
      rig.send([.openGate(ramp: .zero)])
      #expect(rig.hear(9000))
      rig.stop()
    }

    /// Its clock stops for a long time without an error.
    @Test func aCardThatStandsStillIsLost() throws {
      let card = try plainCard()
      let rig = try CardRig(card, cardOptions)
      rig.play(Track(1 << 18))
      #expect(rig.hear(3000))
      card.stall(milliseconds: 60_000)
      #expect(rig.wait(4) { $0.lostAt.count == 1 })
      #expect(rig.wait { $0.restorations == 1 })
      rig.send([.openGate(ramp: .zero)])
      #expect(rig.hear(9000))
      rig.stop()
    }

    /// The audio thread sleeps while another thread looks for the card with a growing backoff.
    @Test func aLostCardWakesTheBoxSeldom() throws {
      let card = try plainCard()
      let rig = try CardRig(card, cardOptions)
      rig.play(Track(1 << 18))
      #expect(rig.hear(3000))
      card.unplug(openError: 19)
      #expect(rig.wait { $0.lostAt.count == 1 })
      let turns = { rig.link.counters.turns.load(ordering: .relaxed) }
      #expect(rig.wait { _ in card.counters.refused_opens >= 4 })
      let (before, opens) = (turns(), card.counters.refused_opens)
      #expect(!rig.wait(1.3) { _ in turns() > before })
      #expect(card.counters.refused_opens <= opens + 1)
      card.plugIn()
      #expect(rig.wait(6) { $0.restorations == 1 })
      rig.stop()
    }
  }
}
