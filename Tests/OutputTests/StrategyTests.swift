// The negotiation of a deep or a short buffer with a card, and that both sound the same. Test threads.
import Foundation
import Outputs
import PlaybackModel
import RealtimeAudio
import Testing
import VirtualCardSupport

extension CardTests {
  @Suite struct StrategyTests {
    private func isDeep(_ strategy: BufferStrategy) -> Bool {
      if case .deep = strategy { true } else { false }
    }

    @Test(
      arguments: zip(
        VirtualCardSettings.Format.usual, [SampleFormat.s16, .s24, .s24Packed, .s32, .float32]))
    func theOneFormatOfACardIsTaken(format: VirtualCardSettings.Format, expected: SampleFormat) throws {
      let card = try plainCard(format)
      let device = try ALSADevice(name: card.deviceName, options: cardOptions)
      #expect(device.format == expected && device.channels == 2 && device.rate == SampleRate(44100))
      #expect(isDeep(device.strategy) && device.summary.contains(expected.name))
    }

    @Test func aDeepQueueIsOfASecondAndAQuarter() throws {
      let card = try plainCard()
      let device = try ALSADevice(name: card.deviceName, options: cardOptions)
      guard case .deep(let queue, _) = device.strategy else {
        Issue.record("\(device.strategy)")
        return
      }
      #expect(queue == 55_125)
    }

    @Test func theWidestFormatIsChosenUnlessOneIsAskedFor() throws {
      let card = try plainCard { $0.formats = [.s16, .s32] }
      #expect(try ALSADevice(name: card.deviceName, options: cardOptions).format == .s32)
      var options = cardOptions
      options.format = .s16
      #expect(try ALSADevice(name: card.deviceName, options: options).format == .s16)
      options.format = .float32
      #expect { try ALSADevice(name: card.deviceName, options: options) } throws: {
        let words = ($0 as? OutputError)?.description ?? ""
        return words.contains(card.deviceName) && words.contains(SampleFormat.float32.name)
      }
    }

    @Test func aCardOfOneChannelIsTaken() throws {
      let card = try plainCard { $0.channels = 1...1 }
      #expect(try ALSADevice(name: card.deviceName, options: cardOptions).channels == 1)
    }

    @Test func aRateThatTheCardHasNotIsAnErrorThatNamesIt() throws {
      let card = try plainCard { $0.rates = 48000...48000 }
      #expect { try ALSADevice(name: card.deviceName, options: cardOptions) } throws: {
        let words = ($0 as? OutputError)?.description ?? ""
        return words.contains("44100") && words.contains("--rate")
      }
      #expect(
        try ALSADevice(name: card.deviceName, options: OutputOptions(rate: SampleRate(48000))).rate.hertz
          == 48000)
    }

    @Test func aMissingCardIsUnavailable() throws {
      let card = try plainCard()
      card.unplug(openError: 19)
      #expect { try ALSADevice(name: card.deviceName, options: cardOptions) } throws: {
        ($0 as? OutputError)?.isUnavailable == true
      }
    }

    /// A device whose driver was loaded after the service had started is refused (EPERM), whatever the groups
    /// of the service.
    @Test(
      arguments: [
        (1, "systemctl restart swiftlet"), (13, "group `audio`"), (16, "another program"),
        (19, "no such sound card"),
      ] as [(Int32, String)])
    func aCardThatCannotBeOpenedSaysWhy(code: Int32, words: String) throws {
      let card = try plainCard()
      card.unplug(openError: code)
      #expect { try ALSADevice(name: card.deviceName, options: cardOptions) } throws: {
        ($0 as? OutputError)?.description.contains(words) == true
      }
    }

    // MARK: Deep or short buffer

    struct Kind: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let mode: BufferMode
      /// Maximum length of the queue in frames.
      var queue = 1764
      let change: @Sendable (inout VirtualCardSettings) -> Void
    }

    static let shallow = [
      Kind(testDescription: "asked for", mode: .shallow) { _ in },
      Kind(testDescription: "batch", mode: .automatic) { $0.isBatch = true },
      Kind(testDescription: "no rewind", mode: .automatic) {
        $0.rewind = .refused
        $0.formats = [.s16]
      },
      Kind(testDescription: "pointer in steps of 20 ms", mode: .automatic, queue: 16_536) {
        $0.granularity = 882
      },
    ]

    @Test(arguments: shallow) func aCardThatCannotRewindGetsAShortQueue(kind: Kind) throws {
      var options = cardOptions
      options.mode = kind.mode
      let card = try plainCard(.s16, kind.change)
      let rig = try CardRig(card, options)
      rig.play(Track(1 << 14))
      // The pointer's granularity is visible only once it moves.
      #expect(rig.hear(8000))
      #expect(rig.link.isShallow && !isDeep(rig.device.strategy), "\(rig.device.summary)")
      #expect(rig.device.strategy.queue <= kind.queue)
      rig.stop()
      #expect(rig.underruns == 0)
    }

    // MARK: One timeline, two strategies

    /// The recording of commands pinned to frames, in one mode, with commands that occasionally make the deep
    /// queue rewind.
    private func recording(_ mode: BufferMode) throws -> [Int32] {
      var options = cardOptions
      options.mode = mode
      let card = try plainCard()
      let rig = try CardRig(card, options)
      #expect(isDeep(rig.device.strategy) == (mode == .automatic))
      let probed = card.recordedFrames
      let tracks = [Track(1 << 18), Track(1 << 18, offset: 1_000_000)]
      let ramp = Frames(2205)
      // All commands must be sent before they are due.
      rig.send([rig.attaching(tracks[0], to: .a), rig.attaching(tracks[1], to: .b)])
      let timeline: [(Int, [MixerCommand])] = [
        (6_000, [.start(.a, ramp: .zero)]),
        (9_001, [.setVolume(Gain(0.4), ramp: Frames(441))]),
        (15_003, [.closeGate(.pause, ramp: ramp)]), (19_999, [.openGate(ramp: ramp)]),
        (26_007, [.setVolume(Gain(1), ramp: Frames(441))]),
        (30_011, [.join(.fadeNow(from: .a, Fade(length: Frames(20_000), curve: .equalPower)))]),
        (41_501, [.closeGate(.pause, ramp: ramp)]),
        (46_000, [.quickFinish(over: Frames(4410)), .openGate(ramp: ramp)]),
        (60_000, [.stop(.b, ramp: Frames(441))]),
        (61_000, [.cue(.b, index: 9), .start(.b, ramp: Frames(441))]),
        (70_000, [.setMono(true)]), (75_000, [.setMono(false)]),
      ]
      for (frame, commands) in timeline { rig.send(commands, at: frame) }
      for _ in 0..<12 {
        #expect(rig.hear(6501))
        // It has no effect but to rewind and re-render a deep queue.
        rig.send([.softenAnnouncement(99)])
      }
      #expect(rig.hear(9000))
      if mode == .automatic { #expect(rig.link.counters.rewinds.load(ordering: .relaxed) >= 10) }
      rig.stop()
      #expect(rig.underruns == 0, "a glitch of the test machine spoils this test")
      withExtendedLifetime(tracks) {}
      return Array(card.recording(as: Int32.self).dropFirst(2 * probed).prefix(2 * 85_000))
    }

    @Test func deepAndShortSoundTheSame() throws {
      let deep = try recording(.automatic)
      let short = try recording(.shallow)
      #expect(deep.count == 2 * 85_000 && short.count == deep.count)
      let difference = zip(deep, short).enumerated().first { $0.element.0 != $0.element.1 }
      #expect(difference == nil, "frame \(difference.map { $0.offset / 2 } ?? 0)")
    }

    // MARK: Wakeups

    /// Counted per frames of the card, because a busy machine stretches real time.
    @Test func deepPlayWakesSeldomAndAPauseNever() throws {
      let card = try plainCard()
      let rig = try CardRig(card, cardOptions)
      rig.play(Track(1 << 18))
      #expect(rig.hear(22_050))
      let turns = { rig.link.counters.turns.load(ordering: .relaxed) }
      let before = turns()
      #expect(rig.hear(88_200))
      #expect(turns() - before <= 20, "10 a second")
      rig.send([.closeGate(.pause, ramp: Frames(441))])
      #expect(rig.wait { $0.link.isParked })
      let parked = turns()
      usleep(1_000_000)
      #expect(turns() == parked)
      rig.stop()
    }
  }
}
