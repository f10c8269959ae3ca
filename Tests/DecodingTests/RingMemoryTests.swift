// A ring's pages are resident before the audio thread reads them. Test threads.
import AudioRing
import Foundation
import Platform
import Testing

@testable import Decoding

@Suite struct RingMemoryTests {
  private static var faults: Int {
    var usage = rusage()
    // RUSAGE_THREAD.
    getrusage(1, &usage)
    return usage.ru_minflt + usage.ru_majflt
  }

  @Test(arguments: [RingSamples.floats, .integers]) func noPageOfItIsMissing(samples: RingSamples) throws {
    let layout = RingLayout(capacity: 1 << 17)
    let file = try SharedMemory.createFile(name: "ring", size: layout.totalBytes)
    let ring = try RingMemory(layout: layout, file: file)
    ring.adopt(samples)
    let before = Self.faults
    var sum: UInt64 = 0
    for offset in stride(from: 0, to: layout.usedBytes(samples), by: 4096) {
      sum &+= ring.base.load(fromByteOffset: offset, as: UInt64.self)
    }
    ring.reader.retain(from: 1)
    // A page or two of code may be new to the thread.
    #expect(Self.faults - before < 5 && sum != 1)
    // The pages behind the ring are not allocated.
    var status = stat()
    #expect(fstat(file.raw, &status) == 0 && Int(status.st_blocks) * 512 == layout.usedBytes(samples))
  }
}
