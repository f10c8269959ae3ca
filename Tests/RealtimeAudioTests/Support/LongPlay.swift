// Hours of playback with skips, fades, seeks, pauses and losses, turn by turn, with a measurement around each
// turn. Test threads.
import AudioRing
import Foundation
import Platform
import PlaybackModel
import RealtimeAudio

/// A decoder's ring: a file in memory, written through another mapping, and resident when it is attached.
final class MappedRing {
  let layout = RingLayout(rate: SampleRate(44100))
  private let memory: SharedMemory
  private let writing: SharedMemory
  private var writer: RingWriter

  init() throws {
    let file = try SharedMemory.createFile(name: "ring", size: layout.totalBytes)
    memory = try SharedMemory(mapping: file, size: layout.totalBytes)
    memory.makeResident(layout.totalBytes)
    writing = try SharedMemory(mapping: file, size: layout.totalBytes)
    writer = RingWriter(layout: layout, base: writing.base)
    let samples = (writing.base + RingLayout.headerBytes).assumingMemoryBound(to: Float.self)
    for i in 0..<2 * layout.capacity { samples[i] = Float(i % 1001) / 2002 }
  }

  var reader: RingReader { RingReader(layout: layout, base: memory.base) }

  /// Commits all free space without writing it, so that there is always sound to read.
  func fill() { writer.commit(writer.free) }
}

/// The control thread and the audio thread in one.
final class LongPlay {
  let device: ClockDevice
  let loop: AudioLoop
  let link: AudioLink
  private var rings: [MappedRing?] = [nil, nil]
  private var current = Deck.a
  private var nextID: UInt32 = 0
  private(set) var skips = 0
  private(set) var restorations = 0

  init(_ device: ClockDevice) {
    self.device = device
    link = AudioLink(wakeAudio: {}, notifyControl: {})
    loop = AudioLoop(device: device, link: link)
  }

  private func send(_ commands: MixerCommand...) {
    for command in commands {
      nextID += 1
      precondition(link.send(CommandRequest(id: nextID, pin: .now, command: command)))
    }
    link.flush()
  }

  private func take() {
    while let report = link.takeReport() {
      switch report {
      case .mixer(let event):
        if case .released(let deck) = event.event { rings[Int(deck.rawValue)] = nil }
      case .deviceRestored:
        restorations += 1
        send(.openGate(ramp: Frames(441)))
      default: break
      }
    }
    for ring in rings { ring?.fill() }
  }

  /// Performs a command of a user or the queue.
  private func act(_ step: Int) throws {
    let next = current.other
    switch step % 8 {
    case 0 where rings[Int(next.rawValue)] == nil, 4 where rings[Int(next.rawValue)] == nil:
      let ring = try MappedRing()
      ring.fill()
      rings[Int(next.rawValue)] = ring
      let fade = Fade(length: Frames(44100 * 3), curve: .equalPower)
      send(
        .attach(next, ring.reader, index: 0, trackGain: Gain(0.8)),
        .join(
          .crossfade(
            from: current, to: next, at: 0, fade,
            ends: FadeEnds(from: RingLayout.noEnd, to: RingLayout.noEnd))))
      current = next
      skips += 1
    case 1: send(.setVolume(Gain(0.3), ramp: Frames(441)))
    case 2: send(.release(next, ramp: Frames(441)))
    case 3: send(.closeGate(.pause, ramp: Frames(8820)))
    case 5: send(.openGate(ramp: Frames(8820)), .setVolume(Gain(0.9), ramp: Frames(441)))
    case 6: send(.release(next, ramp: Frames(441)))
    default: send(.setMono(step % 16 == 7))
    }
  }

  /// Plays for some seconds of the card's clock, with a command every three. `measured` runs each turn.
  func play(seconds: Double, _ measured: (() -> Int64?) -> Int64?) throws {
    let ring = try MappedRing()
    ring.fill()
    let own = rings[Int(current.rawValue)] == nil
    if own {
      rings[Int(current.rawValue)] = ring
      send(
        .attach(current, ring.reader, index: 0, trackGain: .unity), .start(current, ramp: .zero),
        .openGate(ramp: .zero))
    }
    let end = device.clock + UInt64(seconds * 1e9)
    var step = 0
    var next = device.clock
    while device.clock < end {
      if device.clock >= next {
        try act(step)
        step += 1
        next += 3_000_000_000
      }
      let pause = measured { loop.turn() }
      take()
      device.wait(min(pause ?? .max, Int64(max(1, min(next, end) - min(device.clock, next, end)))))
    }
  }
}
