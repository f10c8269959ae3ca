// Kinds of sound cards: every access mode, format and rate plays the same samples. Test threads.
import Foundation
import Outputs
import PlaybackModel
import RealtimeAudio
import Testing
import VirtualCardSupport

extension CardTests {
  @Suite struct CardKindTests {
    /// The bytes of a recorded sample as a fraction of full scale.
    private static func value(_ bytes: ArraySlice<UInt8>, _ format: VirtualCardSettings.Format) -> Double {
      let isBigEndian = format.rawValue.hasSuffix("BE")
      let ordered = isBigEndian ? bytes.reversed() : Array(bytes)
      let bits = ordered.enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
      switch format {
      case .float, .floatBigEndian: return Double(Float(bitPattern: UInt32(bits)))
      case .double: return Double(bitPattern: bits)
      case .iec958: return Double(Int32(bitPattern: UInt32(bits & 0x0FFF_FFF0) << 4)) / 0x1p31
      default: break
      }
      let digits = format.rawValue.dropFirst().prefix { $0.isNumber }
      let width = UInt64(digits)!
      let masked = bits & (1 << width - 1)
      let half = Double(UInt64(1) << (width - 1))
      if format.rawValue.hasPrefix("U") { return (Double(masked) - half) / half }
      return (masked >= 1 << (width - 1) ? Double(masked) - 2 * half : Double(masked)) / half
    }

    /// The track's right sample at a frame of the recording, which starts with the track.
    private static func noise(_ frame: Int) -> Double {
      Double(((frame + 1) &* 7919) % 65536 - 32768) / 131072
    }

    /// Plays on a card, and compares the recording at full level with the track.
    private func expectMusic(
      _ card: VirtualCard, _ options: OutputOptions = cardOptions, format: VirtualCardSettings.Format,
      bytes: Int, channels: Int = 2, tolerance: Double = 1e-6, probed: Bool = true
    ) throws {
      let rig = try CardRig(card, options)
      #expect(rig.device.summary.contains("\(channels) ch"), "\(rig.device.summary)")
      rig.play(Track(1 << 16))
      #expect(rig.hear(5000))
      rig.stop()
      #expect(rig.underruns == 0 && rig.lostAt.isEmpty)
      let heard = [UInt8](card.recordedBytes)
      let frameBytes = bytes * channels
      #expect(heard.count / frameBytes >= 5000)
      for frame in 100..<4900 {
        let samples = (0..<channels).map { channel in
          let begin = frame * frameBytes + channel * bytes
          return Self.value(heard[begin..<begin + bytes], format)
        }
        let left = Double(frame + 1) / 8_388_608
        let isRight = abs(samples[1] - Self.noise(frame)) <= tolerance && abs(samples[0] - left) <= tolerance
        guard isRight, samples.dropFirst(2).allSatisfy({ $0 == 0 }) else {
          Issue.record("frame \(frame): \(samples) in place of \(left), \(Self.noise(frame))")
          return
        }
      }
    }

    static let formats: [(VirtualCardSettings.Format, Int)] = [
      (.double, 8), (.s32BigEndian, 4), (.s24BigEndian, 4), (.s24PackedBigEndian, 3), (.floatBigEndian, 4),
      (.u32, 4), (.u24Packed, 3),
    ]

    @Test(arguments: formats) func wideFormatsAreExact(format: VirtualCardSettings.Format, bytes: Int) throws
    {
      try expectMusic(try plainCard(format), format: format, bytes: bytes)
    }

    @Test(arguments: [VirtualCardSettings.Format.s16BigEndian, .u16, .u16BigEndian])
    func sixteenBitsInAnyOrder(format: VirtualCardSettings.Format) throws {
      try expectMusic(try plainCard(format), format: format, bytes: 2, tolerance: 3 / 32768)
    }

    @Test(arguments: [VirtualCardSettings.Format.s8, .u8])
    func eightBitsWhereThereIsNothingElse(format: VirtualCardSettings.Format) throws {
      try expectMusic(try plainCard(format), format: format, bytes: 1, tolerance: 3 / 128)
      #expect(throws: OutputError.self, "who asks for 16 bits wants them") {
        var options = cardOptions
        options.format = .s16
        _ = try ALSADevice(name: try plainCard(format).deviceName, options: options)
      }
    }

    @Test(arguments: [4, 6, 8]) func whatIsBeyondTwoChannelsStaysSilent(channels: Int) throws {
      let card = try plainCard { $0.channels = channels...channels }
      try expectMusic(card, format: .s32, bytes: 4, channels: channels)
    }

    @Test(arguments: VirtualCardSettings.Access.allCases, [2, 4])
    func framesAreTakenInAnyWay(access: VirtualCardSettings.Access, channels: Int) throws {
      let card = try plainCard {
        $0.access = [access]
        $0.channels = channels...channels
      }
      try expectMusic(card, format: .s32, bytes: 4, channels: channels)
    }

    // MARK: Rates

    @Test(arguments: [
      ([8000], 8000), ([11025], 11025), ([192_000], 192_000), ([384_000], 384_000), ([37_800], 37_800),
      ([48000, 88200], 88200), ([48000, 96000], 48000), ([22050, 32000], 32000), ([44100, 88200], 44100),
    ])
    func theNearestRateIsTaken(rates: [Int], expected: Int) throws {
      let card = try plainCard {
        $0.rates = rates.min()!...rates.max()!
        $0.onlyRates = rates
        $0.bufferFrames = 32...200_000
        $0.periodFrames = 16...100_000
      }
      var options = cardOptions
      options.allowsOtherRates = true
      #expect(try ALSADevice(name: card.deviceName, options: options).rate.hertz == expected)
    }

    @Test func ALSAResamplesOnlyForWhoeverNamesARate() throws {
      let card = try plainCard {
        $0.front = .plug
        $0.rates = 48000...48000
      }
      var options = cardOptions
      #expect(try ALSADevice(name: card.deviceName, options: options).rate.hertz == 44100)
      options.allowsOtherRates = true
      #expect(try ALSADevice(name: card.deviceName, options: options).rate.hertz == 48000)
    }

    // MARK: alsa-lib plugins in front of the card

    @Test(arguments: [VirtualCardSettings.Front.plug, .hooks])
    func frontsThatConvertNothingAreDeep(front: VirtualCardSettings.Front) throws {
      let card = try plainCard { $0.front = front }
      let device = try ALSADevice(name: card.deviceName, options: cardOptions)
      #expect(device.summary.contains("deep buffer"), "\(device.summary)")
    }

    /// Rewound in whole blocks, because the receiver counts the subframes.
    @Test func subframesAreDeepAndCountedOn() throws {
      let card = try plainCard(.iec958) { $0.front = .iec958 }
      let rig = try CardRig(card, cardOptions)
      #expect(rig.device.summary.contains("deep buffer"), "\(rig.device.summary)")
      rig.play(Track(1 << 16))
      for _ in 0..<8 {
        #expect(rig.hear(1501))
        rig.send([.rampIn(.zero)])
      }
      #expect(rig.hear(4000))
      #expect(rig.link.counters.rewinds.load(ordering: .relaxed) >= 6)
      rig.stop()
      let subframes = card.recording(as: UInt32.self)
      // The left subframe that starts a block has its own preamble, every 192nd frame.
      let first = subframes[0] & 0xF
      let blocks = stride(from: 0, to: subframes.count, by: 2).filter { subframes[$0] & 0xF == first }
      #expect(blocks.count > 40 && zip(blocks, blocks.dropFirst()).allSatisfy { $1 - $0 == 2 * 192 })
    }

    @Test func aPlugThatResamplesIsShort() throws {
      let card = try plainCard {
        $0.front = .plug
        $0.rates = 48000...48000
      }
      let device = try ALSADevice(name: card.deviceName, options: cardOptions)
      #expect(device.summary.contains("short buffer"), "\(device.summary)")
    }
  }
}
