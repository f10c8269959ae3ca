// An LED whose trigger files get their permissions from udev only after a moment. Test threads.

import Controls
import PlaybackModel
import Testing

@Suite struct LightTriggerTests {
  @Test func aTriggerThatIsNotOursYetIsWaitedForWithOurOwnBlinking() throws {
    let devices = FakeDevices()
    let led = FakeLight()
    led.refused = ["delay_on", "delay_off", "pattern"]
    devices.lights["act"] = led
    let bench = try LightBench([LightDeclaration(name("act"), .any, .sysfs("act"))], devices)
    bench.lights.show(Indicator(.red, .fastBlink))
    #expect(bench.lights.problems.isEmpty)
    for isOn in [true, false, true] { bench.wait(for: "the next step") { (led.brightness > 0) == isOn } }
    led.refused = []
    bench.wait(for: "the kernel") { led.trigger == "timer" && led.files["delay_on"] == "100" }
    #expect(bench.lights.problems.isEmpty)
  }
}
