// A worker that reads a spool with corrupted header words of a hostile fetcher gets an end, a failure or no
// place, and never faults. Test threads.

import Platform
import Testing

@testable import Streaming

@Suite struct SpoolReaderTests {
  private static let capacity = 64 << 10

  /// A reader without a fetcher, and the spool's header words.
  private final class Rig {
    let reader: SpoolReader
    let header: SpoolHeader
    private let memory: SharedMemory

    init() throws {
      let layout = SpoolLayout(capacity: SpoolReaderTests.capacity)
      let file = try SharedMemory.createFile(name: "spool", size: layout.totalBytes)
      memory = try SharedMemory(mapping: file, size: layout.totalBytes)
      header = SpoolHeader(base: memory.base)
      let pair = try MessageSocket.Pair()
      reader = try SpoolReader(spool: file.release(), capacity: layout.capacity, socket: pair.mine)
    }
  }

  private static let words: [Int64] = [
    .min, .min + 1, -(1 << 62), -1, 0, 1, 5000, Int64(capacity), SpoolLayout.maxLength,
    SpoolLayout.maxLength + 1,
    1 << 62, .max - 1, .max,
  ]

  /// Bytes are returned only from a valid window.
  @Test func noWordIsTooHostile() throws {
    let rig = try Rig()
    var buffer = [UInt8](repeating: 0, count: 100)
    for start in Self.words {
      for end in Self.words {
        (rig.header.start, rig.header.end, rig.header.length) = (start, end, end)
        rig.header.lag = (since: 5, end: end)
        for phase in [SpoolPhase.open, .complete, .failed] {
          rig.header.phase = phase
          for offset in [0, 4999, SpoolLayout.maxLength - 1] as [Int64] {
            let outcome = buffer.withUnsafeMutableBytes { rig.reader.read($0.baseAddress!, 100, at: offset) }
            guard case .bytes(let count) = outcome, count > 0 else { continue }
            #expect(
              start >= 0 && start <= offset && offset + Int64(count) <= end, "\(start) \(end) \(offset)")
            #expect(end <= SpoolLayout.maxLength && end - start <= Int64(Self.capacity), "\(start) \(end)")
          }
        }
        let window = rig.reader.window
        #expect(window.lowerBound >= 0 && window.count <= Self.capacity)
        // Derived values stay within their limits.
        if let lag = rig.reader.lag { #expect((0...SpoolLayout.maxLength).contains(lag.end)) }
        #expect(rig.reader.length <= SpoolLayout.maxLength)
      }
    }
  }

  @Test func whatIsThereIsRead() throws {
    let rig = try Rig()
    (rig.header.start, rig.header.end, rig.header.phase) = (1000, 3000, .complete)
    rig.header.length = SpoolLayout.unknown
    var buffer = [UInt8](repeating: 0, count: 1500)
    let counts = ([1000, 2000, 3000] as [Int64]).map { offset in
      buffer.withUnsafeMutableBytes { bytes -> Int in
        if case .bytes(let count) = rig.reader.read(bytes.baseAddress!, 1500, at: offset) {
          count
        } else {
          -1
        }
      }
    }
    #expect(counts == [1500, 1000, 0])
  }
}
