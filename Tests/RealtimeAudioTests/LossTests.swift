// After a lost card: commands that were rendered but not played keep their order. Test threads.
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct LossTests {
  /// Plays, sends `before`, loses the card some milliseconds later, sends `during` while it is missing, and
  /// continues when it is back.
  private func loop(
    lossAfter milliseconds: Double, before: [MixerCommand], during: [MixerCommand], _ rig: LoopRig = LoopRig()
  ) -> LoopRig {
    let ring = RingBox(track: 120_000, coded)
    rig.play(ring)
    rig.after(300) { for command in before { rig.send(command) } }
    rig.device.inject(.fault(.lost), at: rig.device.clock + UInt64((300 + milliseconds) * 1e6))
    rig.device.reopensFrom = rig.device.clock + 1_500_000_000
    for (i, command) in during.enumerated() { rig.after(700 + 20 * Double(i)) { rig.send(command) } }
    rig.react = {
      guard case .deviceRestored = $0 else { return }
      rig.onRestored?()
      rig.send(.openGate(ramp: .zero))
    }
    rig.run(milliseconds: 6000)
    return rig
  }

  private static func volume(_ gain: Float) -> MixerCommand { .setVolume(Gain(gain), ramp: Frames(441)) }

  /// From before the command was rendered until after it was played.
  @Test(arguments: [0, 0.2, 1, 3, 5, 9, 11, 30])
  func theLastVolumeHolds(milliseconds: Double) throws {
    let rig = loop(
      lossAfter: milliseconds, before: [Self.volume(0.1)], during: [Self.volume(0.2), Self.volume(0.9)])
    #expect(rig.count("deviceLost") == 1 && rig.count("deviceRestored") == 1)
    let heard = rig.device.output.filter { $0.right != 0 }
    #expect(heard.suffix(20_000).allSatisfy { $0.right == 0.45 })
  }

  /// A louder volume from before the loss does not return: a ramp whose frames were lost with the card is
  /// complete.
  @Test(arguments: [0, 0.2, 1, 3, 5, 9, 11, 30])
  func theVolumeHoldsFromTheFirstFrameOn(milliseconds: Double) throws {
    let rig = LoopRig()
    var heardBefore: Int?
    rig.onRestored = { heardBefore = rig.device.output.count }
    _ = loop(lossAfter: milliseconds, before: [Self.volume(0.1)], during: [], rig)
    let heard = rig.device.output[try #require(heardBefore)...].filter { $0.right != 0 }
    #expect(heard.count > 20_000 && heard.allSatisfy { $0.right == 0.05 })
  }

  /// The filters' state is cleared by a loss: a card that returns into silence is not started, and music
  /// restarts as if from silence.
  @Test(arguments: [false, true]) func theFiltersDoNotRingOnWhenTheCardIsBack(goesOn: Bool) throws {
    let rig = LoopRig()
    let band = try #require(EqualizerBand(.peak, frequency: 100, gain: 12, quality: 10))
    let filters = SpeakerCorrection(bands: [band]).fixedFilters(at: SampleRate(44100))
    for (i, filter) in filters.enumerated() { rig.send(.setFilter(i, filter)) }
    // After the loss, only the filters' ringing could be audible.
    rig.play(RingBox(track: 200_000) { $0 < 40_000 ? sine(100, amplitude: 0.5)($0) : Frame(0, 0) })
    rig.device.inject(.fault(.lost), at: rig.device.clock + 910_000_000)
    rig.device.reopensFrom = rig.device.clock + 1_500_000_000
    var heardBefore: Int?
    rig.react = {
      guard case .deviceRestored = $0 else { return }
      heardBefore = rig.device.output.count
      if goesOn { rig.send(.openGate(ramp: .zero)) }
    }
    rig.run(milliseconds: 4000)
    let rest = rig.device.output[try #require(heardBefore)...]
    #expect(rest.isEmpty == !goesOn)
    #expect(rest.allSatisfy { $0 == Frame(0, 0) })
  }

  @Test(arguments: [0, 1, 5, 9, 30])
  func commandsAreAppliedInTheirOrderAndOnce(milliseconds: Double) {
    let rig = loop(
      lossAfter: milliseconds, before: [Self.volume(0.1), .setMono(true), Self.volume(0.3)],
      during: [.setMono(false), Self.volume(0.9)])
    #expect(Self.applied(rig) == Array(1...(Self.applied(rig).last ?? 0)))
  }

  /// After an underrun or a suspend, frames that were not played are rendered again with the commands in
  /// order, including those of the turn that detects it.
  @Test(arguments: [PCMFault.underrun, .suspended], [0, 0.2, 1, 3, 5, 9, 11, 30])
  func theOrderHoldsOverAnXrunOrASleep(fault: PCMFault, milliseconds: Double) {
    let rig = LoopRig()
    rig.play(RingBox(track: 120_000, coded))
    rig.after(300) { rig.send(Self.volume(0.1)) }
    rig.device.inject(.fault(fault), at: rig.device.clock + UInt64((300 + milliseconds) * 1e6))
    for later in [0, 0.5, 5] { rig.after(300 + milliseconds + later) { rig.send(Self.volume(0.2)) } }
    rig.after(330 + milliseconds) { rig.send(Self.volume(0.9)) }
    rig.run(milliseconds: 2000)
    #expect(rig.count("underrun") == 1 && rig.count("deviceLost") == 0)
    let heard = rig.device.output.filter { $0.right != 0 }
    #expect(heard.suffix(20_000).allSatisfy { $0.right == 0.45 })
    #expect(Self.applied(rig) == Array(1...(Self.applied(rig).last ?? 0)))
  }

  /// The ids of the commands in the order in which they were applied.
  private static func applied(_ rig: LoopRig) -> [UInt32] {
    rig.reports.compactMap { entry in
      guard case .mixer(let event) = entry.report, case .applied(let id) = event.event, id > 0 else {
        return nil
      }
      return id
    }
  }

  /// After its release was reported, a ring's memory belongs to another owner: a rendered attach command must
  /// not use it again.
  @Test(arguments: [0, 0.2, 1, 3, 5, 9, 30])
  func aRingIsNotAttachedAgainAfterItWasReleased(milliseconds: Double) {
    let rig = LoopRig()
    let next = RingBox(track: 60_000, { _ in Frame(0, 0.25) })
    let attach = rig.attaching(next, to: .b)
    // As if the memory were freed and a loud signal mapped there.
    rig.onRelease = { if $0 == .b { next.spoil() } }
    _ = loop(
      lossAfter: milliseconds, before: [attach, .start(.b, ramp: Frames(400))],
      during: [.release(.b, ramp: .zero)], rig)
    #expect(rig.count("released(b)") == 1)
    let output = rig.device.output
    #expect(output.allSatisfy { abs($0.right) <= 0.7501 }, "nothing of what took its place is heard")
    #expect(output.suffix(20_000).allSatisfy { $0.right == 0.5 || $0.right == 0 })
  }

  // MARK: The timeline itself

  private func playing() -> Rig {
    let rig = Rig()
    rig.play(.a, RingBox(track: 60_000, { _ in Frame(0.5, 0.5) }))
    return rig
  }

  private func gain(of rig: Rig, at frame: Int) -> Float { rig.output[frame].left * 2 }

  /// The output is rewound to before the frame of a command: the next command does not overtake it.
  @Test func whatWaitsTakesEffectWithWhateverComesNext() {
    let rig = playing()
    rig.append(5000)
    rig.send(.setVolume(Gain(0.1), ramp: .zero))
    rig.append(1000)
    #expect(rig.restore(to: 4500))
    rig.send(.setVolume(Gain(0.9), ramp: .zero))
    rig.append(3000)
    #expect(gain(of: rig, at: 4499) == 1 && gain(of: rig, at: 4500) == 0.9 && gain(of: rig, at: 7000) == 0.9)
  }

  /// A command for a specific frame keeps its frame.
  @Test func whatIsPinnedStaysOnItsFrame() {
    let rig = playing()
    rig.append(4000)
    rig.send(.setVolume(Gain(0.1), ramp: .zero), at: 5000)
    rig.append(2000)
    #expect(rig.restore(to: 4500))
    rig.send(.setVolume(Gain(0.9), ramp: .zero))
    rig.append(3000)
    #expect(gain(of: rig, at: 4500) == 0.9 && gain(of: rig, at: 4999) == 0.9)
    #expect(gain(of: rig, at: 5000) == 0.1 && gain(of: rig, at: 7000) == 0.1)
  }
}
