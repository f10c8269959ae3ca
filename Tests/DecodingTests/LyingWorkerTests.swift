// Impossible messages of a worker: it is stopped, and its numbers never reach the engine's arithmetic. Test
// threads.

import AudioRing
import Platform
import PlaybackModel
import Testing

@testable import Decoding

@Suite struct LyingWorkerTests {
  private static func info(total: Int64?) -> StreamInfo {
    StreamInfo(
      sourceRate: 44_100, channels: 2, bits: 16, isFloat: false, sourceFrames: total,
      totalFrames: total.map { Frames($0) }, canSeek: true, isSandboxed: true, format: "WAV", codec: "pcm",
      tags: StreamInfo.Tags(), loudness: StreamInfo.Loudness())
  }

  private static func playing(total: Int64? = nil, isStream: Bool = false) -> Conversation {
    var conversation = Conversation(
      WorkerEquipment(hint: "PCM", hasResampler: false), start: 0, isStream: isStream)
    _ = conversation.receive(WorkerMessage.opened(info(total: total)).bytes[...])
    _ = conversation.receive(WorkerMessage.ready(index: 0, position: 0).bytes[...])
    return conversation
  }

  @Test(
    arguments: [
      (0, 44_100, 0), (1_764_000, 441_000, 1411), (160_000, 441_000, 128), (1 << 50, 1, nil),
      (nil, 441_000, nil), (1000, nil, nil),
      (1000, 0, nil),
    ] as [(Int64?, Int64?, Int?)])
  func bytesAndFramesAreABitRate(bytes: Int64?, frames: Int64?, kilobits: Int?) throws {
    var info = Self.info(total: frames)
    info.bytes = bytes
    let told = WorkerMessage(WorkerMessage.opened(info).bytes[...])
    #expect(told == .opened(info))
    // Extreme but valid lengths still give a number.
    #expect(info.kilobitsPerSecond == kilobits || kilobits == nil && bytes == 1 << 50)
  }

  @Test(arguments: [-1, 1 << 51] as [Int64])
  func filesThatCannotBeAreNonsense(bytes: Int64) {
    var info = Self.info(total: 44_100)
    info.bytes = bytes
    #expect(WorkerMessage(WorkerMessage.opened(info).bytes[...]) == nil)
  }

  @Test(arguments: [1 << 60, UInt64(Int64.max), .max, .max - 1, 1 << 48] as [UInt64])
  func anEndBeyondAllTracksIsNonsense(index: UInt64) {
    var conversation = Self.playing()
    let message = WorkerMessage.ended(generation: 0, index: index, total: 1000)
    #expect(conversation.receive(message.bytes[...]) == .nonsense)
  }

  @Test func anEndAfterASeekIsBelieved() {
    var conversation = Self.playing()
    let generation = conversation.seek(to: Frames(100), index: 5000).generation
    _ = conversation.receive(
      WorkerMessage.seeked(generation: generation, index: 5000, position: 100).bytes[...])
    let message = WorkerMessage.ended(generation: generation, index: 6000, total: 1100)
    #expect(conversation.receive(message.bytes[...]) == .event(.ended(total: Frames(1100), index: 6000)))
  }

  @Test(
    arguments: [
      (1 << 60, 700, 700), (500, 700, 500), (.max, 1 << 62, 1 << 44), (.max, 700, 700), (1 << 43, 700, 700),
    ]
      as [(UInt64, UInt64, UInt64)])
  func anEndInTheRingIsOneThatCanBe(claimed: UInt64, written: UInt64, end: UInt64) throws {
    let layout = RingLayout(capacity: 4096)
    let file = try SharedMemory.createFile(name: "ring", size: layout.totalBytes)
    let ring = try RingMemory(layout: layout, file: file)
    func store(_ value: UInt64, _ offset: Int) { (ring.base + offset).storeBytes(of: value, as: UInt64.self) }
    store(written, RingLayout.writeIndexOffset)
    store(claimed, RingLayout.endIndexOffset)
    #expect(ring.seal(within: Self.playing().indexes) == end)
    // The mixer computes the same end.
    #expect(ring.endIndex == end)
  }

  /// A station that sends more titles than can be stored does not count as misbehaving.
  @Test func aTitleThatGaveWayIsNoLie() {
    var conversation = Self.playing()
    for offset in 0..<40 as Range<UInt64> { _ = conversation.note("a title", at: offset * 100) }
    func answer(_ offset: UInt64) -> Conversation.Reaction {
      conversation.receive(WorkerMessage.passed(offset: offset, index: 10).bytes[...])
    }
    #expect(answer(0) == .stale && answer(700) == .stale)
    #expect(answer(800) == .event(.titled("a title", index: 10)))
    #expect(answer(4000) == .nonsense)
  }

  /// A `named` message is accepted only from a stream's worker, within the ring's indices, and after the
  /// stream has been opened.
  @Test func namesThatCannotBeAreNonsense() {
    let name = WorkerMessage.named(index: 700, "a title").bytes[...]
    var file = Self.playing()
    #expect(file.receive(name) == .nonsense)
    var early = Conversation(WorkerEquipment(hint: "", hasResampler: false), start: 0, isStream: true)
    #expect(early.receive(name) == .nonsense)
    var stream = Self.playing(isStream: true)
    #expect(stream.receive(name) == .event(.titled("a title", index: 700)))
    // Named before the worker received the seek.
    let generation = stream.seek(to: .zero, index: 5000).generation
    #expect(stream.receive(name) == .stale)
    _ = stream.receive(WorkerMessage.seeked(generation: generation, index: 5000, position: 0).bytes[...])
    #expect(stream.receive(name) == .nonsense)
  }

  /// The longest track at the lowest engine rate, in nanoseconds, fits into 64 bits.
  @Test func theLongestTrackIsATime() {
    let seconds = SampleRate(8000).seconds(Frames(Limits.maxTrack)).value
    #expect(seconds * 1e9 < 9e18)
  }

  @Test func noConversationTraps() {
    let extremes: [UInt64] = [
      0, 1, 4096, 1 << 31, 1 << 32, 1 << 44, 1 << 60, UInt64(Int64.max), 1 << 63, .max,
    ]
    var seed: UInt64 = 1
    func random(_ count: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % count
    }
    func number() -> UInt64 { extremes[random(extremes.count)] }
    for _ in 0..<20_000 {
      var conversation = Conversation(
        WorkerEquipment(hint: "", hasResampler: random(2) == 0), start: 0, isStream: random(2) == 0)
      for _ in 0..<8 {
        let position = Int64(bitPattern: number())
        let generation = UInt32(truncatingIfNeeded: number())
        if random(4) == 0 { _ = conversation.note("a title", at: random(2) == 0 ? 7 : number()) }
        if random(4) == 0 { _ = conversation.seek(to: .zero, index: number()) }
        let message: WorkerMessage =
          switch random(8) {
          case 0: .opened(Self.info(total: random(2) == 0 ? nil : max(0, position)))
          case 1: .ready(index: random(2) == 0 ? 0 : number(), position: random(2) == 0 ? 0 : position)
          case 2: .seeked(generation: random(2) == 0 ? 1 : generation, index: number(), position: position)
          case 3: .ended(generation: random(2) == 0 ? 0 : generation, index: number(), total: position)
          case 4: .violated(systemCall: generation)
          case 6: .named(index: number(), random(2) == 0 ? "" : "a title")
          case 5: .passed(offset: random(2) == 0 ? 7 : number(), index: number())
          default: .listed(count: generation)
          }
        switch conversation.receive(message.bytes[...]) {
        case .event(.ended(let total, let index)):
          #expect(total.count <= Limits.maxTrack && conversation.indexes.contains(index))
        case .event(.titled(_, let index)): #expect(conversation.indexes.contains(index))
        default: break
        }
      }
    }
  }
}
