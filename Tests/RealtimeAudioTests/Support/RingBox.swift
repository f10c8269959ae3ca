// A ring in process memory with its writer, like a worker process from the mixer's point of view. Test
// threads.
import AudioRing
import Foundation
import PlaybackModel
import RealtimeAudio

/// One stereo frame.
struct Frame: Equatable {
  var left: Float
  var right: Float

  init(_ left: Float, _ right: Float) {
    self.left = left
    self.right = right
  }
}

/// The sound of a track, by frame index.
typealias Sound = @Sendable (Int) -> Frame

/// Frames that encode their number on the left, exact in 16 bits up to 32768 frames and never zero, and have
/// 0.5 on the right, which gives the gain.
let coded: Sound = { Frame(Float($0 % 32767 + 1) / 32768, 0.5) }

/// The number of a coded frame after any gain; nil for silence.
func decode(_ frame: Frame) -> Int? {
  guard frame.right > 0.0005 else { return nil }
  let number = frame.left / frame.right * 0.5 * 32768
  return Int(number.rounded()) - 1
}

/// A sine on both channels.
func sine(_ hertz: Double, amplitude: Float = 0.5, rate: Int = 44100, phase: Double = 0) -> Sound {
  { index in
    let value = amplitude * Float(sin(2 * .pi * (hertz * Double(index) / Double(rate) + phase)))
    return Frame(value, value)
  }
}

/// Uniform noise between plus and minus `amplitude`, uncorrelated between channels and seeds.
func noise(seed: UInt64, amplitude: Float = 0.5) -> Sound {
  { index in
    var generator = ShuffleGenerator(seed: seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
    let a = Float(generator.next() >> 40) / Float(1 << 23) - 1
    let b = Float(generator.next() >> 40) / Float(1 << 23) - 1
    return Frame(a * amplitude, b * amplitude)
  }
}

/// A ring's memory, its writer, and the sound that is written into it.
final class RingBox: @unchecked Sendable {
  let layout: RingLayout
  let base: UnsafeMutableRawPointer
  let sound: Sound
  let samples: RingSamples
  private var writer: RingWriter

  /// An empty ring of at least `capacity` frames.
  init(capacity: Int = 1 << 17, _ sound: @escaping Sound, samples: RingSamples = .floats) {
    layout = RingLayout(capacity: capacity)
    self.samples = samples
    base = .allocate(byteCount: layout.totalBytes, alignment: 4096)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: layout.totalBytes)
    writer = RingWriter(layout: layout, base: base, samples: samples)
    self.sound = sound
  }

  /// A ring that holds a whole track.
  convenience init(track length: Int, _ sound: @escaping Sound, samples: RingSamples = .floats) {
    self.init(withoutEnd: length, sound, samples: samples)
    finish()
  }

  /// A ring that holds `length` frames without an end mark, as if its writer had crashed.
  convenience init(withoutEnd length: Int, _ sound: @escaping Sound, samples: RingSamples = .floats) {
    var capacity = 1024
    while capacity < length { capacity *= 2 }
    self.init(capacity: capacity, sound, samples: samples)
    write(length)
  }

  deinit { base.deallocate() }

  var reader: RingReader { RingReader(layout: layout, base: base, samples: samples) }
  var writeIndex: UInt64 { writer.writeIndex }
  var retainIndex: UInt64 { writer.retainIndex }
  var free: Int { writer.free }

  /// Writes up to `count` frames, as many as fit. Returns their number.
  @discardableResult
  func write(_ count: Int) -> Int {
    var left = count
    while left > 0 {
      let run = min(left, writer.room)
      guard run > 0 else { break }
      let first = Int(writer.writeIndex)
      let frames = (first..<first + run).flatMap { index in
        let frame = sound(index)
        return [frame.left, frame.right]
      }
      switch samples {
      case .floats: _ = writer.contiguous().update(fromContentsOf: frames)
      case .integers: writer.store(frames, count: run)
      }
      writer.commit(run)
      left -= run
    }
    return count - left
  }

  /// Marks the end of the track.
  func finish() { writer.finish() }

  /// Restarts writing at an index, as a worker does after a seek.
  func restart(at index: UInt64) { writer.restart(at: index) }

  /// Fills the memory with a loud signal, as if it had been freed and remapped.
  func spoil() {
    let samples = base + RingLayout.headerBytes
    samples.initializeMemory(
      as: Float.self, repeating: 8, count: (layout.totalBytes - RingLayout.headerBytes) / 4)
  }

  /// Resets the memory to an empty ring, as if it had been freed and reused by another worker.
  func renew() {
    base.initializeMemory(as: UInt8.self, repeating: 0, count: layout.totalBytes)
    writer = RingWriter(layout: layout, base: base, samples: samples)
  }
}
