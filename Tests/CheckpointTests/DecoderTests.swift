// Reading checkpoint files with any content neither traps nor uses unbounded memory. Test threads.
import Checkpoints
import PlaybackModel
import Platform
import Testing

@Suite struct DecoderTests {
  private static let layout = CheckpointLayout(areaBytes: 4096)

  /// A file with several checkpoints and two queues.
  private static let good: [UInt8] = {
    var random = ShuffleGenerator(seed: 12)
    let storage = empty(layout)
    let journal = CheckpointJournal.open(storage, layout: layout).journal
    for _ in 0..<5 {
      let (checkpoint, queue) = randomPair(&random)
      _ = try? journal.write(checkpoint, queue: queue)
    }
    return storage.bytes
  }()

  @Test func theChecksumIsTheCatalogues() {
    #expect(Checksum.of(Array("123456789".utf8)) == 0x995D_C9BB_DF19_39FA)
    #expect(Checksum.of([UInt8]()) == 0)
  }

  /// 100 000 damaged slots and queues in total, most of them with recomputed checksums.
  @Test(arguments: 0..<20)
  func spoiltBytesDoNoHarm(seed: Int) {
    var random = ShuffleGenerator(seed: UInt64(seed))
    let (slots, area) = (4096..<4096 + 8 * 4096, 4096 + 8 * 4096)
    for i in 0..<5000 {
      var bytes: [UInt8]
      if i % 2 == 0 {
        let start = slots.lowerBound + Int.random(in: 0..<5, using: &random) * 4096
        bytes = Array(Self.good[start..<start + 512])
      } else {
        let start = area + Int.random(in: 0..<2, using: &random) * 4096
        bytes = Array(Self.good[start..<start + 700])
      }
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes[place] = [0, 1, 127, 128, 255].randomElement(using: &random)!
        default: bytes.removeSubrange(place..<min(place + Int.random(in: 1...9, using: &random), bytes.count))
        }
        if bytes.isEmpty { bytes = [0] }
      }
      CheckpointFuzzing.run(bytes)
    }
  }

  @Test(arguments: 0..<40)
  func aBitFlippedAnywhereIsNoticed(seed: Int) throws {
    var random = ShuffleGenerator(seed: UInt64(seed))
    let known = CheckpointJournal.open(MemoryStorage(Self.good), layout: Self.layout)
    #expect(known.checkpoint != nil)
    for _ in 0..<20 {
      var bytes = Self.good
      bytes[Int.random(in: 4096..<bytes.count, using: &random)] ^=
        1 << UInt8.random(in: 0..<8, using: &random)
      let opening = CheckpointJournal.open(MemoryStorage(bytes), layout: Self.layout)
      // An older checkpoint may be the only one left, but the result is one of those written.
      #expect(opening.checkpoint == nil || opening.checkpoint!.rate.hertz > 40_000)
      if opening.checkpoint == known.checkpoint { #expect(opening.queue == known.queue) }
    }
  }

  @Test(arguments: 0..<60)
  func filesOfNonsenseAreOpened(seed: Int) {
    var random = ShuffleGenerator(seed: UInt64(seed))
    let count = [0, 1, 511, 4096, 5000, Self.layout.fileBytes].randomElement(using: &random)!
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    let opening = CheckpointJournal.open(MemoryStorage(bytes), layout: Self.layout)
    #expect(opening.checkpoint == nil && opening.queue == nil)
    #expect(opening.notes.count <= 8 && (count <= 4608 || !opening.notes.isEmpty))
  }
}
