// The volume limits in isolation. Test threads.

import Console
import Foundation
import PlaybackModel
import Testing

@testable import Daemon

private final class Knob: VolumeTarget {
  private(set) var volume = Volume(100)
  var isSounding = false
  private(set) var volumeCurve = VolumeCurve.cubic
  func setVolume(_ volume: Volume, curve: VolumeCurve?) {
    self.volume = volume
    if let curve { volumeCurve = curve }
  }
}

@Suite struct VolumeControllerTests {
  private let machine: SimulatedMachine
  private let feed: EventFeed
  private let configuration: ConfigurationStore
  private let controller: VolumeController
  private let knob = Knob()

  init() throws {
    machine = SimulatedMachine(
      Bench.storage("set night.from 22:00\nset night.to 7:00\nset night.maximum 20\n"))
    feed = EventFeed(machine.clock)
    var options = BoxOptions()
    options.configuration = "/etc/box.conf"
    let log = Log(machine)
    configuration = try ConfigurationStore(options, on: machine, feed: feed, log: log)
    let knob = knob
    controller = VolumeController(configuration, on: machine, feed: feed, log: log) { knob }
  }

  private func set(_ key: String, _ value: String) throws {
    let setting = try #require(Setting(key: key))
    try configuration.set(setting) { (settings) throws(ConsoleError) in try settings.set(key, value) }
  }

  @Test func theMaximumHoldsForEverybody() throws {
    controller.set(Volume(90))
    #expect(knob.volume.percent == 90)
    try set("volume.maximum", "60")
    #expect(knob.volume.percent == 60, "at once")
    var limited = 0
    controller.onLimit = { limited += 1 }
    #expect(controller.perform(.to(80)) == .ok("60 %, the limit at present") && limited == 1)
    // Further steps at the limit give the cue only once.
    #expect(controller.perform(.steps(1)) == .ok("60 %, the limit at present") && limited == 1)
    #expect(controller.perform(.by(-10)) == .ok("50 %") && limited == 1)
    #expect(controller.perform(.steps(1)) == .ok("55 %"))
    _ = controller.perform(.steps(2))
    #expect(limited == 2)
  }

  @Test func theNightGivesBackWhatItTook() {
    controller.set(Volume(70))
    machine.minuteOfDay = 23 * 60
    controller.limit()
    #expect(controller.percent == 20 && controller.wanted.percent == 70 && controller.most == 20)
    machine.minuteOfDay = 8 * 60
    controller.limit()
    #expect(controller.percent == 70)
  }

  @Test func whatSoundsGetsNoLouderBecauseTheNightEnds() throws {
    controller.set(Volume(70))
    machine.minuteOfDay = 23 * 60
    controller.limit(.clock)
    knob.isSounding = true
    machine.minuteOfDay = 8 * 60
    controller.limit(.clock)
    try set("fade.length", "3")
    machine.clock.run(seconds: 10)
    #expect(knob.volume.percent == 20)
    // The knob may raise the volume.
    _ = controller.perform(.by(5))
    #expect(knob.volume.percent == 25)
  }

  @Test func whatSoundsGetsLouderSlowly() throws {
    try set("volume.maximum", "30")
    controller.set(Volume(30))
    knob.isSounding = true
    try set("volume.maximum", "90")
    controller.set(Volume(90))
    #expect(knob.volume.percent == 90, "the knob is not slow")
    try set("volume.maximum", "30")
    #expect(knob.volume.percent == 30, "nor is what gets softer")
    try set("volume.maximum", "90")
    machine.clock.run(seconds: 1)
    #expect(knob.volume.percent > 40 && knob.volume.percent < 60)
    machine.clock.run(seconds: 5)
    #expect(knob.volume.percent == 90)
  }

  /// A change of the curve at the same volume lowers the gain at once and raises it slowly.
  @Test(arguments: [5, 10, 20, 30, 50, 80], [true, false])
  func anotherCurveNeverJumpsUp(percent: Float, isSounding: Bool) throws {
    controller.set(Volume(percent))
    knob.isSounding = isSounding
    for name in ["even", "cubic", "even"] {
      let before = knob.volume.gain(knob.volumeCurve)
      try set("volume.curve", name)
      let curve = try #require(VolumeCurve(name: name))
      let wanted = Volume(percent).gain(curve)
      let atOnce = knob.volume.gain(knob.volumeCurve)
      if isSounding, wanted > before {
        #expect(abs(20 * log10(atOnce.factor / before.factor)) < 0.1)
      } else {
        #expect(atOnce == wanted)
      }
      var last = atOnce
      for _ in 0..<60 {
        machine.clock.run(seconds: 0.1)
        let now = knob.volume.gain(knob.volumeCurve)
        #expect(now >= last)
        last = now
      }
      #expect(last == wanted && knob.volume.percent == percent)
    }
  }

  @Test func itLooksAgainWhenTheNightBegins() {
    machine.minuteOfDay = 21 * 60 + 50
    controller.set(Volume(70))
    machine.clock.run(seconds: 599)
    #expect(controller.percent == 70)
    machine.minuteOfDay = 22 * 60
    machine.clock.run(seconds: 2)
    #expect(controller.percent == 20)
    controller.end()
  }

  @Test func aChangeIsToldOnce() {
    var told: [Int] = []
    let subscription = feed.listen { if case .volume(let percent, _) = $0.event { told.append(percent) } }
    controller.set(Volume(30))
    controller.set(Volume(30))
    controller.limit()
    #expect(told == [30])
    withExtendedLifetime(subscription) {}
  }
}
