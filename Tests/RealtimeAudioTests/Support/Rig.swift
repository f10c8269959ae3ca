// A mixer whose output and events are collected. Test threads.
import AudioRing
import Foundation
import PlaybackModel
import RealtimeAudio

/// A mixer under test.
final class Rig {
  var mixer: Mixer
  let format: SampleFormat
  let channels: Int
  private(set) var bytes: [UInt8] = []
  private(set) var events: [StampedEvent] = []
  private var nextID: UInt32 = 0
  /// Retains the rings while the mixer may read them.
  private var rings: [RingBox] = []

  init(_ format: SampleFormat = .float32, channels: Int = 2, rate: Int = 44100) {
    self.format = format
    self.channels = channels
    mixer = Mixer(rate: SampleRate(rate), format: format, channels: channels)
  }

  var frame: Int { Int(mixer.frame.count) }
  var frameBytes: Int { mixer.frameBytes }

  /// Sends a command for the next frame, or for a later one.
  @discardableResult
  func send(_ command: MixerCommand, at frame: Int? = nil) -> UInt32 {
    nextID += 1
    let pin: Pin = frame.map { .at(Frames(Int64($0))) } ?? .now
    precondition(mixer.insert(CommandRequest(id: nextID, pin: pin, command: command)))
    return nextID
  }

  /// Attaches a ring to a deck and starts it.
  func play(_ deck: Deck, _ ring: RingBox, from index: UInt64 = 0, ramp: Int64 = 0, gain: Float = 1) {
    rings.append(ring)
    send(.attach(deck, ring.reader, index: index, trackGain: Gain(gain)))
    send(.start(deck, ramp: Frames(ramp)))
  }

  /// Attaches a ring to a deck without starting it.
  func cue(_ deck: Deck, _ ring: RingBox, at index: UInt64 = 0, isBeginning: Bool = true) {
    rings.append(ring)
    send(.attach(deck, ring.reader, index: index, trackGain: .unity, isBeginning: isBeginning))
  }

  /// Renders frames in calls of at most `chunk`, and then drops rewind state older than 22050 frames.
  func render(_ count: Int, chunk: Int = 1000) {
    var left = count
    while left > 0 {
      let run = min(left, chunk)
      append(run)
      left -= run
    }
    realtime { mixer.forget(before: Frames(Int64(max(0, frame - 22050)))) }
  }

  /// Renders frames in one call.
  func append(_ count: Int) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: count * frameBytes))
    let done = bytes.withUnsafeMutableBytes { output in
      realtime { mixer.render(count, into: output.baseAddress! + start) }
    }
    precondition(done == count)
  }

  /// Rewinds, as the audio loop does for a command.
  func restore(to frame: Int) -> Bool {
    guard realtime({ mixer.restore(to: Frames(Int64(frame))) }) else { return false }
    bytes.removeLast(bytes.count - frame * frameBytes)
    return true
  }

  /// Dequeues all events, or those up to a frame.
  func collect(upTo frame: Int? = nil) {
    while let event = mixer.takeEvent(heardUpTo: frame.map { Frames(Int64($0)) } ?? mixer.frame) {
      events.append(event)
    }
  }

  /// Float output as frames.
  var output: [Frame] {
    precondition(format == .float32 && channels == 2)
    return bytes.withUnsafeBytes { raw in
      let samples = raw.bindMemory(to: Float.self)
      return (0..<samples.count / 2).map { Frame(samples[2 * $0], samples[2 * $0 + 1]) }
    }
  }

  /// Integer output as samples.
  var integers: [Int32] {
    bytes.withUnsafeBytes { raw in
      (0..<raw.count / format.bytes).map { i in
        switch format {
        case .s16: Int32(raw.loadUnaligned(fromByteOffset: 2 * i, as: Int16.self))
        case .s24, .s32: raw.loadUnaligned(fromByteOffset: 4 * i, as: Int32.self)
        case .s24Packed:
          Int32(
            bitPattern: UInt32(raw[3 * i]) << 8 | UInt32(raw[3 * i + 1]) << 16
              | UInt32(raw[3 * i + 2]) << 24) >> 8
        case .float32: fatalError("floats are no integers")
        }
      }
    }
  }

  /// The names of the events, with their frames: `advanced(to: b)@100`.
  var eventNames: [String] {
    collect()
    return events.map { "\($0.event)@\($0.positions.frame.count)" }
  }

  /// The events of kinds other than `applied`, by name.
  var news: [String] {
    collect()
    return events.compactMap {
      if case .applied = $0.event { return nil }
      return $0.event.words
    }
  }

  /// Whether an event whose name starts with `name` was collected.
  func hasTold(_ name: String) -> Bool { events.contains { "\($0.event)".hasPrefix(name) } }

  /// The frame of the first event whose name starts with `name`.
  func frame(of name: String) -> Int? {
    collect()
    return events.first { "\($0.event)".hasPrefix(name) }.map { Int($0.positions.frame.count) }
  }
}
