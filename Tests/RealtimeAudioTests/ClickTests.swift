// No clicks: sines through every command of the mixer and every event of the loop. The steps between samples
// stay below those of ramped sines. Test threads.
import AudioRing
import Foundation
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct ClickTests {
  static let amplitude: Float = 0.45
  static let hertz = 60.0
  /// The maximum step of a ramped sine: its own slope plus that of a whole ramp of `ramp` frames at its peak.
  private static func steepest(ramp: Int) -> Float {
    amplitude * Float(2 * .pi * hertz / 44100) + amplitude / Float(ramp)
  }
  /// For the mixer's de-click ramp of 8 ms on both decks at once.
  static let bound = 2 * steepest(ramp: 353) + 1e-4

  /// Tracks with different phases, so that a hard cut between them is detected.
  private static func track(_ phase: Double, length: Int = 100_000) -> RingBox {
    RingBox(track: length, sine(hertz, amplitude: amplitude, phase: phase))
  }

  private static func worstStep(_ output: [Frame]) -> (step: Float, frame: Int) {
    var worst = (step: Float(0), frame: 0)
    // A sound that starts or ends at its peak is a step, too.
    var last = Frame(0, 0)
    for (i, frame) in (output + [Frame(0, 0)]).enumerated() {
      let step = abs(frame.left - last.left)
      if step > worst.step { worst = (step, i) }
      last = frame
    }
    return worst
  }

  /// The writer may end with the command that removes its ring, so the ramp must fit into what the ring
  /// holds.
  @Test(arguments: [20, 200, 340]) func aRampToSilenceFitsWhatTheRingStillHolds(left: Int) {
    let rig = Rig()
    let ring = RingBox(sine(Self.hertz, amplitude: Self.amplitude))
    ring.write(40_000)
    rig.play(.a, ring)
    rig.render(40_000 - left)
    rig.send(.release(.a, ramp: Frames(4410)))
    rig.render(6000)
    #expect(Self.worstStep(rig.output).step < Self.bound)
    #expect(rig.output[40_000...].allSatisfy { $0 == Frame(0, 0) })
  }

  /// A track that starts at its bookmark starts with a ramp, also behind the other track's end and when its
  /// fade came too late.
  @Test(arguments: [nil, 1, 100, 400] as [Int?]) func aTrackThatIsEnteredInItsMiddleComesInOverARamp(
    rest: Int?
  ) {
    let rig = Rig()
    rig.play(.a, RingBox(track: 20_000) { _ in Frame(0, 0) })
    rig.cue(.b, Self.track(0.25), at: 44_100, isBeginning: false)
    if let rest {
      rig.render(20_000 - rest)
      let ends = FadeEnds(from: 20_000, to: 100_000)
      rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(4000), curve: .linear), ends: ends))
    } else {
      rig.send(.join(.gapless(from: .a, to: .b)))
    }
    rig.render(25_000 - rig.frame, chunk: 331)
    let heard = rig.output[20_400...]
    rig.send(.release(.b, ramp: Self.ramp))
    rig.render(1000)
    #expect(Self.worstStep(rig.output).step < Self.bound)
    let track = sine(Self.hertz, amplitude: Self.amplitude, phase: 0.25)
    let first = rest == 400 ? 19_600 : 20_000
    #expect(heard.enumerated().allSatisfy { $0.element == track(44_100 + 20_400 - first + $0.offset) })
  }

  /// A fade that has not been reported yet may have started a track, and a seek in it stopped the track
  /// again.
  @Test func aTrackThatAFadeHasBegunIsNoBeginningAnyMore() {
    let rig = Rig()
    rig.play(.a, Self.track(0))
    rig.cue(.b, Self.track(0.25))
    rig.render(1000)
    let ends = FadeEnds(from: 100_000, to: 100_000)
    rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(20_000), curve: .linear), ends: ends))
    rig.render(2200)
    rig.send(.closeGate(.pause, ramp: Self.ramp))
    rig.render(1000)
    for command: MixerCommand in [
      .collapse(onto: .a, ramp: .zero), .clear(keeping: .b, ramp: Self.ramp), .start(.b, ramp: .zero),
    ] { rig.send(command) }
    rig.render(5000)
    rig.send(.release(.b, ramp: Self.ramp))
    rig.render(1000)
    #expect(Self.worstStep(rig.output).step < Self.bound && rig.output[9000] != Frame(0, 0))
  }

  /// A track whose decoder has crashed ends where its ring ends, in its middle.
  @Test(arguments: [0, 30_000, 39_000, 39_700, 39_950]) func aTrackThatBreaksOffIsRampedOut(told: Int) {
    let rig = Rig()
    rig.play(.a, Self.track(0.25, length: 40_000), ramp: 353)
    rig.render(told)
    rig.send(.softenEnd(.a))
    rig.render(42_000 - told, chunk: 331)
    #expect(rig.news == ["deckEnded(a)"] && rig.frame(of: "deckEnded") == 40_000)
    let left = min(353, 40_000 - told)
    #expect(Self.worstStep(rig.output).step < 2 * Self.steepest(ramp: left))
    let track = sine(Self.hertz, amplitude: Self.amplitude, phase: 0.25)
    #expect((353..<40_000 - left).allSatisfy { rig.output[$0] == track($0) }, "not a frame sooner")
  }

  /// A seek or stop in the last frames has a longer ramp than the frames left.
  @Test(arguments: [39_500, 39_700, 39_900, 39_950]) func aTrackThatBreaksOffInAStopIsRampedOut(at: Int) {
    let rig = Rig()
    rig.play(.a, Self.track(0.25, length: 40_000), ramp: 353)
    rig.render(30_000)
    rig.send(.softenEnd(.a))
    rig.render(at - 30_000)
    rig.send(.stop(.a, ramp: Frames(2000)))
    rig.render(42_000 - at, chunk: 331)
    #expect(Self.worstStep(rig.output).step < 2 * Self.steepest(ramp: min(353, 40_000 - at)))
    #expect(rig.output[39_990] != Frame(0, 0) && rig.output[40_000...].allSatisfy { $0 == Frame(0, 0) })
  }

  // MARK: The mixer's commands

  struct Edge: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The commands, with the number of frames rendered before them.
    let steps: [(after: Int, [MixerCommand])]

    init(_ name: String, _ steps: (Int, [MixerCommand])...) {
      testDescription = name
      self.steps = steps.map { (after: $0.0, $0.1) }
    }
  }

  static let pause = MixerCommand.closeGate(.pause, ramp: Frames(8820))
  static let resume = MixerCommand.openGate(ramp: Frames(8820))
  static let ramp = Frames(353)
  static func fade(_ length: Int64, _ curve: FadeCurve = .equalPower) -> MixerCommand {
    .fadeNow(from: .a, to: .b, Fade(length: Frames(length), curve: curve))
  }
  /// A seek as the player commands it: stop, move, start.
  static let seekOut = MixerCommand.stop(.a, ramp: ramp)
  static let seekIn = [MixerCommand.cue(.a, index: 60_001), .start(.a, ramp: ramp)]

  static let edges: [Edge] = [
    Edge("pause", (0, [pause])),
    Edge("pause and resume", (0, [pause]), (20_000, [resume])),
    Edge("pause turned round", (0, [pause]), (3001, [resume]), (2007, [pause]), (1003, [resume])),
    Edge("stop", (0, [.closeGate(.finish, ramp: Frames(20_000))])),
    Edge(
      "stop turned round", (0, [.closeGate(.finish, ramp: Frames(20_000))]), (9001, [resume])),
    Edge(
      "stop paused", (0, [.closeGate(.finish, ramp: Frames(20_000))]), (9001, [pause]), (20_000, [resume])),
    Edge("seek", (0, [seekOut]), (400, seekIn)),
    Edge("seek without a ramp of its own", (0, [.stop(.a, ramp: .zero)]), (400, seekIn)),
    Edge("seek on the pause's ramp", (0, [pause]), (3001, [seekOut]), (400, seekIn), (9000, [resume])),
    Edge("pause on the seek's ramp", (0, [seekOut]), (100, [pause]), (20_000, seekIn), (1, [resume])),
    Edge("skip", (0, [.release(.a, ramp: ramp), .start(.b, ramp: ramp)])),
    Edge("skip without a ramp", (0, [.release(.a, ramp: .zero), .start(.b, ramp: ramp)])),
    Edge("clear", (0, [.clear(keeping: nil, ramp: .zero)])),
    Edge("clear on the pause's ramp", (0, [pause]), (3001, [.clear(keeping: nil, ramp: ramp)])),
    Edge("clear while paused", (0, [pause]), (20_000, [.clear(keeping: nil, ramp: ramp)])),
    Edge(
      "volume", (0, [.setVolume(Gain(0), ramp: Frames(441))]),
      (100, [.setVolume(Gain(1), ramp: Frames(441))]),
      (50, [.setVolume(Gain(0.3), ramp: Frames(441))])),
    Edge("stop that is started again", (0, [.stop(.a, ramp: Frames(2000))]), (777, [.start(.a, ramp: ramp)])),
    Edge("fade", (0, [fade(20_000)])),
    Edge("pause in a fade", (0, [fade(20_000)]), (7001, [pause]), (20_000, [resume])),
    Edge("pause on a fade's last frames", (0, [fade(20_000)]), (19_000, [pause]), (20_000, [resume])),
    Edge(
      "quick finish", (0, [fade(30_000)]), (16_001, [pause]),
      (20_000, [.quickFinish(over: Frames(4410)), resume])),
    Edge("quick finish in flight", (0, [fade(30_000)]), (16_001, [.quickFinish(over: Frames(4410))])),
    Edge("collapse", (0, [fade(20_000)]), (7001, [.collapse(onto: .b, ramp: Frames(2205))])),
    Edge("collapse back", (0, [fade(20_000)]), (7001, [.collapse(onto: .a, ramp: Frames(2205))])),
    Edge("collapse without a ramp", (0, [fade(20_000)]), (7001, [.collapse(onto: .b, ramp: .zero)])),
    Edge(
      "collapse on the pause's ramp", (0, [fade(20_000)]), (7001, [pause]),
      (3001, [.collapse(onto: .b, ramp: .zero)]), (20_000, [resume])),
    Edge(
      "collapse while paused", (0, [fade(20_000)]), (7001, [pause]),
      (20_000, [.collapse(onto: .b, ramp: .zero)]),
      (1, [resume])),
    Edge("stop in a fade", (0, [fade(20_000)]), (7001, [.closeGate(.finish, ramp: Frames(8820))])),
    Edge("outgoing deck leaves a fade", (0, [fade(20_000)]), (7001, [.release(.a, ramp: ramp)])),
    Edge("incoming deck leaves a fade", (0, [fade(20_000)]), (7001, [.release(.b, ramp: ramp)])),
    Edge("seek of the incoming", (0, [fade(20_000)]), (7001, [.stop(.b, ramp: .zero)])),
    Edge("clear that keeps what waits", (0, [.clear(keeping: .b, ramp: ramp), .start(.b, ramp: ramp)])),
    Edge(
      "clear on the pause's ramp that keeps a deck whose last track goes", (0, [pause]),
      (3001, [.release(.a, ramp: ramp), .clear(keeping: .a, ramp: ramp)])),
    Edge(
      "clear while paused that keeps what a fade has begun", (0, [fade(20_000)]), (7001, [pause]),
      (20_000, [.clear(keeping: .b, ramp: ramp), .start(.b, ramp: .zero)])),
    Edge("a gap", (0, [pause]), (20_000, [.rampIn(ramp), resume])),
  ]

  /// Starting at a zero, at a peak, and between the two.
  @Test(arguments: edges, [10_000, 10_184, 10_301]) func noEdgeOfTheMixerSteps(edge: Edge, at start: Int) {
    let rig = Rig()
    rig.play(.a, Self.track(0), ramp: 353)
    rig.cue(.b, Self.track(0.37))
    rig.render(start)
    for step in edge.steps {
      rig.render(step.after, chunk: 97)
      for command in step.1 { rig.send(command) }
    }
    rig.render(30_000)
    rig.send(.closeGate(.finish, ramp: Frames(353)))
    rig.render(1000)
    let worst = Self.worstStep(rig.output)
    #expect(worst.step < Self.bound, "frame \(worst.frame)")
  }

  /// The bound is effective: a hard cut exceeds it.
  @Test func aHardCutIsNoticed() {
    let rig = Rig()
    rig.play(.a, Self.track(0), ramp: 353)
    rig.render(10_184)
    rig.send(.closeGate(.pause, ramp: .zero))
    rig.render(1000)
    #expect(Self.worstStep(rig.output).step > 2 * Self.bound)
  }

  // MARK: Device events

  /// Runs a loop. If the device stops by itself, the sound is cut off, which cannot be avoided; it must
  /// restart with a ramp. Commands have their usual ramps.
  private func loop(_ change: (LoopRig) -> Void) -> [Frame] {
    let rig = LoopRig()
    rig.send(rig.attaching(Self.track(0), to: .a), .start(.a, ramp: Self.ramp))
    change(rig)
    rig.run(milliseconds: 4000)
    return rig.device.output
  }

  @Test(arguments: [17, 250, 333.3], [PCMFault.underrun, .suspended])
  func soundComesBackSoftlyAfterAGap(milliseconds: Double, fault: PCMFault) throws {
    var rig: LoopRig?
    let output = loop {
      $0.device.inject(.fault(fault), at: $0.device.clock + UInt64(milliseconds * 1e6))
      rig = $0
    }
    try expectSoftStarts(output, rig!.device)
  }

  @Test(arguments: [17, 250, 333.3])
  func soundComesBackSoftlyWithTheDevice(milliseconds: Double) throws {
    var rig: LoopRig?
    let output = loop { loop in
      loop.device.inject(.fault(.lost), at: loop.device.clock + UInt64(milliseconds * 1e6))
      loop.device.reopensFrom = loop.device.clock + 1_000_000_000
      loop.react = { [unowned loop] in
        if case .deviceRestored = $0 { loop.send(.openGate(ramp: Frames(8820))) }
      }
      rig = loop
    }
    try expectSoftStarts(output, rig!.device)
  }

  private func expectSoftStarts(_ output: [Frame], _ device: FakeDevice) throws {
    let starts = device.starts.map(\.frame)
    try #require(starts.count == 2)
    for (start, end) in zip(starts, starts.dropFirst() + [min(starts[1] + 40_000, output.count)]) {
      // The last frame of a piece is followed by the device's own silence.
      var last = Frame(0, 0)
      let worst = output[start..<end].map { frame in
        defer { last = frame }
        return abs(frame.left - last.left)
      }.max()!
      #expect(worst < Self.bound, "piece from frame \(start)")
    }
  }

  /// A pause that is implemented by a rewind, at different positions of the queue.
  @Test(arguments: [40, 333.3, 401.7]) func aPauseThroughARewindDoesNotStep(milliseconds: Double) {
    let output = loop { rig in
      rig.after(milliseconds) { rig.send(Self.pause) }
      rig.after(milliseconds + 700) { rig.send(Self.resume) }
      rig.after(milliseconds + 800) { rig.send(.setVolume(Gain(0.2), ramp: Frames(441))) }
      rig.after(milliseconds + 1000) { rig.send(.closeGate(.finish, ramp: Frames(8820))) }
    }
    let worst = Self.worstStep(output)
    #expect(worst.step < Self.bound, "frame \(worst.frame)")
  }

  /// An underrun of the writer has a ramp before and after it.
  @Test func starvationDoesNotStep() {
    let ring = RingBox(capacity: 1 << 17, sine(Self.hertz, amplitude: Self.amplitude))
    ring.write(20_077)
    let rig = LoopRig()
    rig.send(rig.attaching(ring, to: .a), .start(.a, ramp: Self.ramp))
    rig.after(1500) { ring.write(40_000) }
    rig.after(2000) { rig.send(.closeGate(.finish, ramp: Frames(8820))) }
    rig.run(milliseconds: 4000)
    #expect(rig.news.contains("refilled(a)"))
    let worst = Self.worstStep(rig.device.output)
    #expect(worst.step < Self.bound, "frame \(worst.frame)")
  }
}
