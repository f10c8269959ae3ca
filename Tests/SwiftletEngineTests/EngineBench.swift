// Support for the tests of the engine: a temporary folder, generated files, the program with its plugins, and
// an output that records. Test threads.

import Foundation
import SwiftletEngine
import Synchronization

/// A folder with music, removed on deinit.
final class EngineBench {
  let folder: URL
  var options = EngineOptions()

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "swiftlet-engine-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Tests run in a SwiftPM program, whose main cannot act as a worker.
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    options.worker = products.appendingPathComponent("swiftlet").path
    options.codecs = [products.path]
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// A WAV file with 16 bits and two channels, in which all frames differ.
  @discardableResult
  func music(_ name: String, seconds: Double, rate: Int = 44100, seed: UInt32 = 1) throws -> [Int16] {
    var state = seed
    let samples = (0..<Int(seconds * Double(rate)) * 2).map { _ -> Int16 in
      state = state &* 1_664_525 &+ 1_013_904_223
      return Int16(truncatingIfNeeded: Int32(bitPattern: state) >> 16) / 4
    }
    var bytes = Data("RIFF".utf8)
    func word(_ value: Int) {
      withUnsafeBytes(of: UInt32(value).littleEndian) { bytes.append(contentsOf: $0) }
    }
    func half(_ value: Int) {
      withUnsafeBytes(of: UInt16(value).littleEndian) { bytes.append(contentsOf: $0) }
    }
    word(36 + samples.count * 2)
    bytes.append(contentsOf: Array("WAVEfmt ".utf8))
    word(16)
    half(1)
    half(2)
    word(rate)
    word(rate * 4)
    half(4)
    half(16)
    bytes.append(contentsOf: Array("data".utf8))
    word(samples.count * 2)
    samples.withUnsafeBytes { bytes.append(contentsOf: $0) }
    try bytes.write(to: folder.appendingPathComponent(name))
    return samples
  }
}

/// Records what an engine writes. With a capacity it plays in real time; without one it accepts everything at
/// once.
final class KeptOutput: AudioOutput {
  private struct Contents {
    var samples: [Int16] = []
    var playedBefore = 0
    var startedAt: ContinuousClock.Instant?
    var isLost = false
    var starts = 0
  }
  let rate = 44100
  let format = OutputFormat.int16
  let capacity: Int
  private let contents = Mutex(Contents())

  init(capacity: Int = 0) { self.capacity = capacity }

  var samples: [Int16] { contents.withLock { $0.samples } }
  var starts: Int { contents.withLock { $0.starts } }

  func lose() { contents.withLock { $0.isLost = true } }
  func returnAgain() { contents.withLock { $0.isLost = false } }

  func write(_ bytes: UnsafeRawBufferPointer, frames: Int) throws(AudioOutputFault) -> Int {
    try contents.withLock { (contents) throws(AudioOutputFault) in
      if contents.isLost { throw .lost }
      contents.samples += bytes.bindMemory(to: Int16.self)
      return frames
    }
  }

  func start() throws(AudioOutputFault) {
    contents.withLock {
      $0.startedAt = .now
      $0.starts += 1
    }
  }

  func queued() throws(AudioOutputFault) -> Int {
    try contents.withLock { (contents) throws(AudioOutputFault) in
      if contents.isLost { throw .lost }
      let waiting = contents.samples.count / 2 - contents.playedBefore
      guard let start = contents.startedAt else { return waiting }
      let played = Int((ContinuousClock.now - start) / .microseconds(1) * Double(rate) / 1e6)
      if played > waiting { throw .ranDry }
      return waiting - played
    }
  }

  func stop() {
    contents.withLock {
      $0.startedAt = nil
      $0.playedBefore = $0.samples.count / 2
    }
  }

  func reopen() -> Bool { contents.withLock { !$0.isLost } }
}
