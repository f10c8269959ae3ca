// The deep buffer's responsiveness: random commands with 400 ms and more queued are audible at once, and the
// recording matches the timeline frame by frame. Test threads.
import Foundation
import Outputs
import Platform
import PlaybackModel
import RealtimeAudio
import RealTimeSupport
import Testing
import VirtualCardSupport

/// Tests with a card in real time run serially, because they measure time.
@Suite(.realTime(margin: 8_000_000), .serialized) enum CardTests {}

extension CardTests {
  @Suite struct InstantAnswerTests {
    /// A command as sent, and the frame at which the loop applied it.
    struct Sent {
      var id: UInt32
      var commands: [MixerCommand]
      var time: UInt64
    }

    struct Generator: RandomNumberGenerator {
      var state: UInt64
      mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) ^ (state << 31)
      }
    }

    @Test func twoHundredCommandsAreHeardWithin20MillisecondsAndExactly() throws {
      let card = try plainCard()
      let rig = try CardRig(card, cardOptions)
      guard case .deep(let queue, _) = rig.device.strategy else {
        Issue.record("the virtual card must be deep: \(rig.device.summary)")
        return
      }
      #expect(queue >= 17640)
      let probed = card.recordedFrames
      var random = Generator(state: 11)
      let tracks = [Track(1 << 21), Track(1 << 21, offset: 3_000_000)]
      var sent: [Sent] = []
      func send(_ commands: [MixerCommand]) {
        let id = rig.send(commands)
        sent.append(Sent(id: id, commands: commands, time: rig.sentAt))
      }
      send([
        rig.attaching(tracks[0], to: .a), rig.attaching(tracks[1], to: .b), .start(.a, ramp: .zero),
      ])
      var current = Deck.a
      let ramp = Frames(2205)
      for step in 0..<200 {
        usleep(UInt32.random(in: 5_000...65_000, using: &random))
        switch step % 8 {
        case 0: send([.closeGate(.pause, ramp: ramp)])
        case 1: send([.openGate(ramp: ramp)])
        case 2: send([.setVolume(Gain(Float.random(in: 0.2...1, using: &random)), ramp: Frames(441))])
        case 3:
          send([.join(.fadeNow(from: current, Fade(length: Frames(6000), curve: .equalPower)))])
          current = current.other
        case 4: send([.quickFinish(over: Frames(1500))])
        case 5: send([.collapse(onto: current, ramp: Frames(400))])
        case 6:
          // A skip: the current deck is released, and another track starts on the other one.
          let index = UInt64.random(in: 0...1_500_000, using: &random)
          send([
            .release(current, ramp: Frames(441)), .release(current.other, ramp: .zero),
            rig.attaching(tracks[0], to: current.other, at: index), .start(current.other, ramp: Frames(441)),
          ])
          current = current.other
        default:
          // A seek within the ring.
          send([
            .stop(current, ramp: .zero),
            .cue(current, index: UInt64.random(in: 0...1_500_000, using: &random)),
            .start(current, ramp: Frames(441)),
            rig.attaching(tracks[1], to: current.other, at: 77),
          ])
        }
      }
      let last = rig.send([.closeGate(.finish, ramp: Frames(441))])
      sent.append(
        Sent(id: last, commands: [.closeGate(.finish, ramp: Frames(441))], time: rig.sentAt))
      #expect(rig.wait { $0.has { if case .fadeOutCompleted = $0 { true } else { false } } })
      #expect(rig.link.counters.rewinds.load(ordering: .relaxed) > 150)
      #expect(!rig.link.isShallow && rig.underruns == 0, "a glitch of the test machine spoils this test")
      rig.stop()

      var latencies: [Double] = []
      for entry in sent.dropFirst() {
        let frame = try #require(rig.applied(entry.id))
        let heard = try #require(card.time(ofFrame: frame + probed))
        latencies.append((Double(heard) - Double(entry.time)) / 1e6)
      }
      let early = latencies.firstIndex { $0 < 0 }
      #expect(early == nil, "command \(early ?? 0): \(latencies[max(0, (early ?? 0) - 2)...].prefix(5))")
      latencies.sort()
      #expect(latencies.last! < 20, "\(latencies.suffix(5)), \(rig.device.summary), \(rig.grant)")

      // The same commands at the same frames, rendered once without rewinds.
      let recording = Array(card.recording(as: Int32.self).dropFirst(2 * probed))
      var mixer = Mixer(rate: SampleRate(44100), format: .s32, channels: 2)
      var expected = [Int32](repeating: 0, count: recording.count)
      var done = 0
      func render(to frame: Int) {
        guard frame > done else { return }
        expected.withUnsafeMutableBytes {
          _ = mixer.render(frame - done, into: $0.baseAddress! + done * mixer.frameBytes)
        }
        done = frame
      }
      for entry in sent {
        let frame = try #require(rig.applied(entry.id))
        render(to: frame)
        for command in entry.commands {
          let isPinned = mixer.insert(
            CommandRequest(id: 0, pin: .at(Frames(Int64(frame))), command: command))
          #expect(isPinned)
        }
        mixer.forget(before: Frames(Int64(max(0, done - 22050))))
        while mixer.takeEvent(heardUpTo: mixer.frame) != nil {}
      }
      render(to: recording.count / 2)
      let difference = zip(recording, expected).enumerated().first { $0.element.0 != $0.element.1 }
      #expect(difference == nil, "frame \(difference.map { $0.offset / 2 } ?? 0) of \(recording.count / 2)")
      withExtendedLifetime(tracks) {}
    }
  }
}
