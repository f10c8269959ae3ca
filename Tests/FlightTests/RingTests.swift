// The flight recorder's memory: records are read as written, and after a crash the
// intact ones are recovered. Test threads.

import Flight
import PlaybackModel
import Platform
import Testing

/// A clock that only the test sets, without timers.
final class StillClock: Scheduler {
  var now: UInt64 = 1_000_000_000
  func after(_ nanoseconds: UInt64, _ handler: @escaping () -> Void) -> ScheduleToken { ScheduleToken(0) }
  func add(readable descriptor: Int32, _ handler: @escaping () -> Void) -> ScheduleToken { ScheduleToken(0) }
  func add(writable descriptor: Int32, _ handler: @escaping () -> Void) -> ScheduleToken { ScheduleToken(0) }
  func add(changing descriptor: Int32, _ handler: @escaping () -> Void) -> ScheduleToken { ScheduleToken(0) }
  func remove(_ token: ScheduleToken) {}
  func turn(waits: Bool) {}
}

/// A deterministic generator, so that failures can be reproduced.
struct Chance: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}

func records(_ bytes: [UInt8]) -> [FlightRecord] {
  var reader = FlightReader(bytes)
  var found: [FlightRecord] = []
  while let record = reader.next() { found.append(record) }
  return found
}

@Suite struct RingTests {
  let clock = StillClock()

  private func recorder(slots: Int) -> FlightRecorder {
    FlightRecorder(HeapFlightMemory(size: 64 * (slots + 1)), clock, salt: 7)
  }

  @Test func whatGoesInComesOut() throws {
    let recorder = recorder(slots: 100)
    recorder.noteStart(version: "0.1.0")
    clock.now += 5_000
    recorder.noteCommand("volume 40", from: .socket)
    recorder.note(Volume(40))
    let found = records(recorder.bytes)
    #expect(found.map { $0.kind } == [.start, .command, .volume])
    #expect(found.map { $0.text } == ["0.1.0", "volume 40", ""])
    #expect(found[1].time == 1_000_005_000)
    let text = FlightText(started: recorder.started, showsNames: false)
    #expect(text.line(found[1]) == "0.000005 command from=socket : volume 40")
    #expect(text.line(found[2]) == "0.000005 volume percent=40")
  }

  @Test func theOldestMakeRoom() throws {
    let recorder = recorder(slots: 10)
    for number in 1...25 { recorder.note(Volume(Float(number))) }
    let reader = FlightReader(recorder.bytes)
    #expect(reader.overwritten == 15 && reader.damaged == 0)
    #expect(records(recorder.bytes).map { $0.words[0] } == Array(16...25))
  }

  @Test(arguments: [0, 1, 39, 40, 41, 199, 200, 201, 5000]) func textsOfAnyLength(length: Int) {
    let recorder = recorder(slots: 30)
    let text = String((0..<length).map { Character(UnicodeScalar(UInt8(0x61 + $0 % 26))) })
    for _ in 0..<12 { recorder.noteCommand(text, from: .serial) }
    let found = records(recorder.bytes)
    #expect(!found.isEmpty)
    for record in found { #expect(record.text == text.suffix(200)) }
  }

  @Test func anEndInOrderIsTold() throws {
    let recorder = recorder(slots: 20)
    #expect(FlightHeader(recorder.bytes)?.isUnderWay == true)
    recorder.end()
    recorder.note(Volume(1))
    #expect(FlightHeader(recorder.bytes)?.isUnderWay == false)
    #expect(records(recorder.bytes).map { $0.kind } == [.stop])
  }

  /// Records damaged by a crash, a full storage or a bad card are skipped, and the others are read.
  @Test(arguments: 0..<40 as Range<UInt64>) func whateverIsLeftIsRead(seed: UInt64) throws {
    var chance = Chance(state: seed)
    let recorder = recorder(slots: 40)
    let count = Int.random(in: 1...120, using: &chance)
    for number in 0..<count {
      if Bool.random(using: &chance) {
        recorder.noteCommand(String(repeating: "x", count: number % 90), from: .socket)
      } else {
        recorder.note(Volume(Float(number % 100)))
      }
    }
    let whole = recorder.bytes
    let known = Set(records(whole))
    for _ in 0..<200 {
      var bytes = whole
      switch Int.random(in: 0..<4, using: &chance) {
      case 0: bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &chance)))
      case 1:
        bytes[Int.random(in: 0..<bytes.count, using: &chance)] ^= UInt8.random(in: 1...255, using: &chance)
      case 2:
        let start = Int.random(in: 0..<bytes.count, using: &chance)
        for i in start..<min(bytes.count, start + 300) {
          bytes[i] = UInt8.random(in: 0...255, using: &chance)
        }
      default: for i in 64..<bytes.count { bytes[i] = UInt8.random(in: 0...255, using: &chance) }
      }
      let reader = FlightReader(bytes)
      let found = records(bytes)
      for record in found where record.text.isEmpty && record.kind != .command {
        #expect(known.contains(record))
      }
      #expect(found.count <= known.count && reader.damaged >= 0)
      let text = FlightText(started: 0, showsNames: true)
      for record in found { #expect(text.line(record)?.contains("\n") == false) }
    }
    for length in stride(from: 0, through: whole.count, by: 61) {
      #expect(records(Array(whole.prefix(length))).count <= known.count)
    }
  }

  @Test func aTornSlotIsMissed() throws {
    let recorder = recorder(slots: 40)
    for number in 1...20 { recorder.note(Volume(Float(number))) }
    var bytes = recorder.bytes
    bytes[64 + 64 * 10 + 30] ^= 1
    let reader = FlightReader(bytes)
    #expect(reader.damaged == 1)
    #expect(records(bytes).count == 19)
  }

  /// A record takes tens of nanoseconds on an idle machine; the bound only detects blocking and allocation.
  @Test func aRecordCostsLittle() {
    let recorder = recorder(slots: 4000)
    let timer = ContinuousClock()
    let count = 200_000
    let time = timer.measure {
      for number in 0..<count {
        recorder.noteRings(
          Seconds(Double(number)), nil, storage: (a: 1, b: nil), late: UInt64(number))
      }
    }
    let each =
      Double(time.components.attoseconds) / 1e9 / Double(count) + Double(time.components.seconds) * 1e9
      / Double(count)
    print("a record costs \(each) ns")
    #expect(each < 20_000)
  }
}

@Suite struct NameTests {
  @Test func namesAreShortStableAndSalted() {
    let path = "/music/Private Band/01 Secret.FLAC"
    let name = FlightName(path, salt: 1)
    #expect(name == FlightName(path, salt: 1) && name != FlightName(path, salt: 2))
    #expect(name.text.hasPrefix("track-") && name.text.hasSuffix(".flac") && name.text.count == 17)
    #expect(FlightName(code: name.code).text == name.text)
  }

  @Test(arguments: ["/a/b.PIN1234", "/a/b.", "/a/b", "", "/a.flac/b", "/x.secret"])
  func endingsThatTellAreNotKept(path: String) {
    let text = FlightName(path, salt: 3).text
    #expect(text.hasPrefix("name-") && text.count == 11)
  }

  @Test func codesOfAnyKindAreText() {
    var chance = Chance(state: 5)
    for _ in 0..<1000 {
      let code = Int64.random(in: .min ... .max, using: &chance)
      #expect(FlightName(code: code).text.count < 30)
    }
  }
}
