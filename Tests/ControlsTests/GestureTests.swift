// Scripts of edges and the expected gestures, with the time of each. Test threads.

import Controls
import Testing

/// The bound triggers, the edges, and the expected gestures.
struct GestureCase: Sendable, CustomTestStringConvertible {
  let bound: [String]
  let script: String
  let gestures: [String]

  init(_ bound: [String], _ script: String, _ gestures: [String]) {
    self.bound = bound
    self.script = script
    self.gestures = gestures
  }

  var testDescription: String { "\(bound.joined(separator: ", ")): \(script)" }
}

private let oneButton: [GestureCase] = [
  // There is no delay for gestures that are not bound.
  .init(["a press"], "10 a down, 2000 a up, 9000 .", ["10 a press"]),
  .init(["a release"], "10 a down, 2000 a up, 9000 .", ["2000 a release"]),
  .init(["a short"], "10 a down, 60 a up, 9000 .", ["60 a short"]),
  .init(["b press"], "10 a down, 60 a up, 9000 .", []),
  .init(["a short", "a long"], "0 a down, 60 a up, 9000 .", ["60 a short"]),
  .init(["a short", "a hold"], "0 a down, 60 a up, 9000 .", ["60 a short"]),
  .init(["a short"], "0 a down, 60 a up, 100 a down, 160 a up, 9000 .", ["60 a short", "160 a short"]),
  // Taps.
  .init(["a short", "a double"], "0 a down, 60 a up, 9000 .", ["360 a short"]),
  .init(["a short", "a double"], "0 a down, 60 a up, 359 a down, 2000 a up, 9000 .", ["2000 a double"]),
  .init(
    ["a short", "a double"], "0 a down, 60 a up, 360 a down, 400 a up, 9000 .",
    ["360 a short", "700 a short"]),
  .init(["a double"], "0 a down, 60 a up, 200 a down, 260 a up, 9000 .", ["260 a double"]),
  .init(["a double"], "0 a down, 60 a up, 9000 .", []),
  .init(
    ["a short", "a double"], "0 a down, 50 a up, 100 a down, 150 a up, 200 a down, 250 a up, 9000 .",
    ["150 a double", "550 a short"]),
  .init(
    ["a short", "a double", "a triple"],
    "0 a down, 50 a up, 100 a down, 150 a up, 200 a down, 250 a up, 9000 .", ["250 a triple"]),
  .init(
    ["a short", "a double", "a triple"], "0 a down, 50 a up, 100 a down, 150 a up, 9000 .",
    ["450 a double"]),
  .init(
    ["a short", "a triple"], "0 a down, 50 a up, 100 a down, 150 a up, 9000 .",
    ["450 a short", "450 a short"]),
  // Long and hold.
  .init(["a short", "a long"], "0 a down, 1500 a up, 9000 .", ["800 a long"]),
  .init(["a short", "a long"], "0 a down, 799 a up, 9000 .", ["799 a short"]),
  .init(["a short", "a long"], "0 a down, 800 a up, 9000 .", ["800 a long"]),
  .init(["a short"], "0 a down, 1500 a up, 9000 .", ["1500 a short"]),
  .init(
    ["a press", "a release", "a short", "a long"], "0 a down, 1500 a up, 9000 .",
    ["0 a press", "800 a long", "1500 a release"]),
  .init(
    ["a short", "a hold"], "0 a down, 1200 a up, 9000 .",
    ["500 a hold", "750 a hold", "975 a hold", "1177 a hold"]),
  .init(
    ["a short", "a hold", "a long"], "0 a down, 1000 a up, 9000 .",
    ["500 a hold", "750 a hold", "975 a hold"]),
  .init(
    ["a short", "a double", "a long"], "0 a down, 60 a up, 200 a down, 1500 a up, 9000 .",
    ["1000 a short", "1000 a long"]),
  // Lost and repeated edges.
  .init(
    ["a press", "a short"], "0 a up, 10 a down, 60 a up, 70 a up, 9000 .", ["10 a press", "60 a short"]),
  .init(
    ["a press", "a release", "a short"], "0 a down, 100 a down, 150 a up, 9000 .",
    ["0 a press", "100 a release", "100 a short", "100 a press", "150 a release", "150 a short"]),
  .init(
    ["a short", "a double"], "0 a down, 5000 a down, 5050 a up, 9000 .", ["5000 a short", "5350 a short"]),
  .init(
    ["a short", "a long"], "500 a down, 450 a up, 600 a down, 650 a up, 9000 .",
    ["450 a short", "650 a short"]),
]

private let chords: [GestureCase] = [
  .init(
    ["a press", "b press", "a+b press"], "0 a down, 30 b down, 90 a up, 120 b up, 9000 .", ["30 a+b press"]),
  .init(["a press", "a+b press"], "0 a down, 200 a up, 9000 .", ["80 a press"]),
  .init(["a press", "c press", "a+b press"], "0 c down, 5 a down, 9000 .", ["0 c press", "85 a press"]),
  .init(
    ["a press", "a short", "a+b press"], "0 a down, 40 a up, 60 b down, 9000 .", ["40 a press", "40 a short"]),
  .init(
    ["a press", "b press", "a+b press"], "0 a down, 80 b down, 300 b up, 400 a up, 9000 .",
    ["80 a press", "80 b press"]),
  .init(
    ["a short", "a long", "b short", "a+b long", "a+b short"],
    "0 a down, 30 b down, 1500 a up, 1600 b up, 9000 .",
    ["830 a+b long"]),
  .init(
    ["a short", "b short", "a+b long", "a+b short"], "0 a down, 30 b down, 200 b up, 1500 a up, 9000 .",
    ["200 a+b short"]),
  .init(
    ["a+b release", "a+b hold", "a release"], "0 a down, 0 b down, 760 b up, 900 a up, 9000 .",
    ["500 a+b hold", "750 a+b hold", "760 a+b release"]),
  .init(
    ["a+b short", "a+b double"],
    "0 a down, 9 b down, 60 a up, 70 b up, 200 b down, 209 a down, 260 a up, 270 b up, 9000 .",
    ["260 a+b double"]),
  // A tap before a chord is not part of it.
  .init(
    ["a short", "a double", "a+b press"],
    "0 a down, 50 a up, 150 a down, 170 b down, 300 a up, 300 b up, 9000 .",
    ["170 a short", "170 a+b press"]),
  // The larger chord wins.
  .init(
    ["a+b press", "a+b+c press"], "0 a down, 20 b down, 40 c down, 100 a up, 100 b up, 100 c up, 9000 .",
    ["40 a+b+c press"]),
  .init(["a+b press", "a+b+c press"], "0 a down, 20 b down, 200 a up, 9000 .", ["80 a+b press"]),
  .init(["a+b press", "a+b+c press"], "0 a down, 20 b down, 50 a up, 200 b up, 9000 .", ["50 a+b press"]),
  .init(
    ["a+b press", "b+c press", "c press"], "0 a down, 20 b down, 40 c down, 9000 .",
    ["20 a+b press", "40 c press"]),
  .init(["a press", "c press", "a+b+c press"], "0 a down, 20 c down, 9000 .", ["80 a press", "80 c press"]),
  // One button stays down; the other one is a separate button again.
  .init(
    ["a short", "a+b short"], "0 a down, 10 b down, 100 a up, 200 a down, 250 a up, 400 b up, 9000 .",
    ["100 a+b short", "250 a short"]),
  .init(
    ["a press", "b press", "a+b press"],
    "0 a down, 500 b down, 600 b up, 700 a up, 800 a down, 810 b down, 9000 .",
    ["80 a press", "500 b press", "810 a+b press"]),
  // A repeated down counts as up and down.
  .init(
    ["a press", "a+b press", "a+b release"], "0 a down, 10 b down, 200 a down, 9000 .",
    ["10 a+b press", "200 a+b release", "200 a press"]),
]

private let turns: [GestureCase] = [
  .init(["k left", "k right"], "0 k 1, 100 k -1, 200 k 3", ["0 k right", "100 k left", "200 k right 3"]),
  .init(["k right"], "0 k -1", []),
  .init(
    ["k right"], "0 k 1, 61 k 1, 121 k 1, 151 k 1, 171 k 1, 186 k 1, 191 k 1, 300 k 1",
    [
      "0 k right", "61 k right", "121 k right", "151 k right 2", "171 k right 3", "186 k right 4",
      "191 k right 4",
      "300 k right",
    ]),
  .init(
    ["k left", "k right"], "0 k 1, 15 k 1, 30 k -1, 45 k -1",
    ["0 k right", "15 k right 4", "30 k left", "45 k left 4"]),
  .init(["k right"], "0 k 2, 60 k 2", ["0 k right 2", "60 k right 4"]),
  .init(["k right"], "0 k 9000000000000000000", ["0 k right 64"]),
  .init(["k left"], "0 k -9223372036854775808", ["0 k left 64"]),
  // While a button is held.
  .init(
    ["k right", "a+k right", "a press", "a short", "a long", "a release"],
    "0 a down, 100 k 1, 300 k 1, 1500 a up, 2000 k 1, 9000 .",
    ["0 a press", "100 a+k right", "300 a+k right", "1500 a release", "2000 k right"]),
  // A turn within the hold delay prevents the hold.
  .init(
    ["a hold", "a short", "a+k right"], "0 a down, 700 k 1, 1500 a up, 9000 .", ["700 a+k right"]),
  .init(
    ["a hold", "a short", "a+k right"], "0 a down, 1100 k 1, 1500 a up, 9000 .",
    ["800 a hold", "1050 a hold", "1100 a+k right"]),
  .init(["k left", "a+k right", "a short"], "0 a down, 100 k -1, 200 a up, 9000 .", []),
  .init(
    ["k right", "a+k right", "a short"], "0 b down, 100 k 1, 200 a down, 250 a up, 9000 .",
    ["100 k right", "250 a short"]),
  .init(
    ["k right", "a+k right", "a+b+k right"],
    "0 a down, 50 b down, 100 k 1, 200 b up, 300 k 1, 400 a up, 500 k 1",
    ["100 a+b+k right", "300 a+k right", "500 k right"]),
  .init(
    ["a+k right", "a short", "a double"], "0 a down, 50 a up, 100 a down, 200 k 1, 300 a up, 9000 .",
    ["200 a short", "200 a+k right"]),
  .init(
    ["a+k right", "a press", "b press", "a+b press", "a short"],
    "0 a down, 20 b down, 30 a up, 200 b up, 1000 a down, 1020 k 1, 1040 b down, 1100 a up, 9000 .",
    ["20 a+b press", "1020 a press", "1020 a+k right", "1040 b press"]),
  .init(
    ["a+k right", "a+b short", "a+b long"], "0 a down, 20 b down, 200 k 1, 300 a up, 400 b up, 9000 .",
    ["200 a+k right"]),
]

@Suite struct GestureTests {
  @Test(arguments: oneButton + chords + turns)
  func edgesMakeGestures(_ it: GestureCase) {
    var recognizer = GestureRecognizer(it.bound)
    #expect(recognizer.play(it.script).map(\.text) == it.gestures)
    var late = GestureRecognizer(it.bound)
    // Calling only with inputs, however late, gives the same result, except for missed repeats.
    if !it.bound.contains(where: { $0.hasSuffix("hold") }) {
      #expect(late.play(it.script, isLate: true).map(\.text) == it.gestures)
    }
  }

  @Test(arguments: oneButton + chords + turns)
  func nothingIsWaitedForInTheEnd(_ it: GestureCase) {
    var recognizer = GestureRecognizer(it.bound)
    #expect(recognizer.deadline == nil)
    _ = recognizer.play(it.script)
    var time = 9000
    for control in ["a", "b", "c"] { time += 1; _ = recognizer.play("\(time) \(control) up") }
    _ = recognizer.play("20000 .")
    #expect(recognizer.deadline == nil)
  }

  @Test func aHeldButtonRepeatsFasterAndFasterAndAtLastNoMore() {
    var recognizer = GestureRecognizer(["a hold"])
    let times = recognizer.play("0 a down, 60000 .").map(\.time)
    let waits = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(times.first == milliseconds(500))
    #expect(waits.first == milliseconds(250))
    #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 >= $1 })
    #expect(waits.last == milliseconds(50))
    #expect(times.last! <= milliseconds(30_500) && times.last! > milliseconds(30_400))
    #expect(recognizer.deadline == nil)
  }

  @Test func repeatsSleptThroughAreLeftOut() {
    var recognizer = GestureRecognizer(["a hold"])
    _ = recognizer.play("0 a down")
    #expect(recognizer.advance(to: milliseconds(5000)).count == 1)
    #expect(recognizer.deadline == milliseconds(5250))
  }

  @Test func aButtonHasItsOwnTimes() {
    var quick = GestureTiming()
    quick.long = 300
    var recognizer = GestureRecognizer(["a long", "b long"], ["a": quick])
    #expect(
      recognizer.play("0 a down, 0 b down, 2000 .").map(\.text) == ["300 a long", "800 b long"])
  }

  @Test func aChordGoesByTheSlowestOfItsButtons() {
    var slow = GestureTiming()
    slow.long = 1000
    slow.chord = 200
    var recognizer = GestureRecognizer(["a+b long", "a press"], ["b": slow])
    #expect(recognizer.play("0 a down, 150 b down, 2000 .").map(\.text) == ["1150 a+b long"])
  }

  @Test func timesOutOfRangeAreBroughtIntoIt() {
    var silly = GestureTiming()
    silly.long = -5
    silly.repeatInterval = 0
    silly.shortestRepeat = .min
    silly.hold = .max
    var recognizer = GestureRecognizer(["a long", "a hold"], ["a": silly])
    #expect(recognizer.play("0 a down, 10019 .").map(\.text) == ["200 a long", "10000 a hold"])
  }

  @Test func resetForgets() {
    var recognizer = GestureRecognizer(["a short", "a double", "a long", "a+b press"])
    _ = recognizer.play("0 a down, 50 a up, 100 a down, 120 b down")
    recognizer.reset()
    #expect(recognizer.deadline == nil)
    #expect(recognizer.play("200 a up, 300 b up, 9000 .").isEmpty)
  }

  @Test(arguments: ["a", "b"])
  func aButtonWhoseDeviceIsGoneIsForgotten(_ gone: String) {
    var recognizer = GestureRecognizer(["a short", "a hold", "b short", "a+b hold"])
    _ = recognizer.play("0 a down, 20 b down")
    recognizer.forget(name(gone))
    #expect(recognizer.deadline == nil)
    #expect(
      recognizer.play("300 a up, 300 b up, 1000 a down, 1100 a up, 9000 .").map(\.text) == ["1100 a short"])
  }

  @Test(arguments: [UInt64.max, UInt64.max - 1_000_000, 0])
  func aSenselessTimeStopsNothing(_ time: UInt64) {
    let bound = ["a press", "a short", "a double", "a long", "a hold", "b press", "a+b press", "k right"]
    for input: ControlInput in [.down(name("a")), .up(name("a")), .turn(name("k"), detents: 1)] {
      var recognizer = GestureRecognizer(bound)
      _ = recognizer.play("1000 a down, 1100 a up, 1200 a down")
      _ = recognizer.take(TimedInput(input, at: time))
      _ = recognizer.advance(to: time)
      _ = recognizer.play("2000 a up, 3000 a down, 3050 a up, 4000 .")
      #expect(
        recognizer.play("5000 a down, 5300 a up, 7000 k 1, 9000 .").map(\.text)
          == ["5080 a press", "5600 a short", "7000 k right"])
    }
  }
}
