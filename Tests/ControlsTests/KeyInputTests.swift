// Buttons and knobs on input devices. Test threads.

import Controls
import Foundation
import Platform
import Testing

@Suite struct KeyInputTests {
  private static let playpause: UInt16 = 164
  private static let dial: UInt16 = 7

  private func box(device: String? = nil) -> (ControlDeclarations, FakeDevices) {
    var declarations = ControlDeclarations()
    declarations.buttons = [
      ButtonDeclaration(name("play"), .key(InputCode(code: Self.playpause, device: device)))
    ]
    declarations.knobs = [
      KnobDeclaration(name("volume"), .axis(InputCode(code: Self.dial, device: nil)))
    ]
    let devices = FakeDevices()
    devices.inputs["/dev/input/event0"] = FakeKeys("rotary", axes: [Self.dial])
    return (declarations, devices)
  }

  @Test func keysAndAxesAreReported() throws {
    let (declarations, devices) = box()
    let keys = FakeKeys("gpio-keys", keys: [Self.playpause])
    devices.inputs["/dev/input/event1"] = keys
    let bench = try InputBench(declarations, devices)
    #expect(bench.inputs.problems.isEmpty)
    keys.key(Self.playpause, isDown: true)
    keys.key(30, isDown: true)
    bench.settle()
    keys.key(Self.playpause, isDown: false)
    bench.settle()
    devices.inputs["/dev/input/event0"]?.put(.axis(Self.dial, -2))
    devices.inputs["/dev/input/event0"]?.put(.axis(8, 1))
    bench.settle()
    #expect(
      bench.changes == [.down(name("play")), .up(name("play")), .turn(name("volume"), detents: -2)])
    #expect(bench.isIdle(milliseconds: 700))
  }

  @Test(arguments: [
    ("remote", ["/dev/input/event2"]), ("/dev/input/event1", ["/dev/input/event1"]),
    ("/dev/input/by-id/pad", ["/dev/input/event1"]),
  ])
  func aDeviceIsChosenByNameOrPath(_ filter: String, _ chosen: [String]) throws {
    let (declarations, devices) = box(device: filter)
    devices.inputs["/dev/input/event1"] = FakeKeys("A keypad", keys: [Self.playpause])
    devices.inputs["/dev/input/event2"] = FakeKeys("An IR remote", keys: [Self.playpause])
    devices.links["/dev/input/by-id/pad"] = "/dev/input/event1"
    let bench = try InputBench(declarations, devices)
    for path in ["/dev/input/event1", "/dev/input/event2"] {
      let count = bench.changes.count
      devices.inputs[path]?.key(Self.playpause, isDown: true)
      devices.inputs[path]?.key(Self.playpause, isDown: false)
      bench.settle()
      #expect(bench.changes.count - count == (chosen.contains(path) ? 2 : 0))
    }
  }

  @Test func droppedEventsAreAskedFor() throws {
    let (declarations, devices) = box()
    let keys = FakeKeys("gpio-keys", keys: [Self.playpause])
    devices.inputs["/dev/input/event1"] = keys
    let bench = try InputBench(declarations, devices)
    keys.key(Self.playpause, isDown: true, isLost: true)
    keys.put(.lost)
    bench.settle()
    #expect(bench.changes == [.down(name("play"))])
    keys.key(Self.playpause, isDown: false, isLost: true)
    keys.put(.lost)
    bench.settle()
    #expect(bench.changes == [.down(name("play")), .up(name("play"))])
  }

  @Test func aKeypadIsPluggedInAndPulledOut() throws {
    let (declarations, devices) = box(device: "keypad")
    let bench = try InputBench(declarations, devices)
    #expect(
      bench.inputs.problems
        == ["button play: no input device called 'keypad' has its key; waiting for one"])
    // There is no polling: the folder's watch reports the device.
    #expect(bench.isIdle(milliseconds: 700))
    let keys = FakeKeys("USB keypad", keys: [Self.playpause])
    devices.inputs["/dev/input/event5"] = keys
    devices.watcher.bell.rings = true
    bench.wait(for: "the keypad") { bench.inputs.problems.isEmpty }
    keys.key(Self.playpause, isDown: true)
    bench.settle()
    devices.inputs["/dev/input/event5"] = nil
    keys.die()
    bench.settle()
    #expect(bench.changes == [.down(name("play")), .up(name("play"))])
    #expect(bench.inputs.problems.count == 1)
  }

  @Test func aDeviceThatCannotBeOpenedYetIsTriedAgain() throws {
    let (declarations, devices) = box()
    let keys = FakeKeys("gpio-keys", keys: [Self.playpause])
    keys.openError = failure(EACCES)
    devices.inputs["/dev/input/event1"] = keys
    let bench = try InputBench(declarations, devices)
    #expect(bench.inputs.problems.count == 1)
    keys.openError = nil
    devices.watcher.bell.rings = true
    bench.wait(for: "the permission") { bench.inputs.problems.isEmpty }
  }

  @Test func aButtonOnTwoDevicesIsDownWhileOneSaysSo() throws {
    let (declarations, devices) = box()
    let pads = [1, 2].map { FakeKeys("pad \($0)", keys: [Self.playpause]) }
    for (index, pad) in pads.enumerated() { devices.inputs["/dev/input/event\(index + 1)"] = pad }
    let bench = try InputBench(declarations, devices)
    pads[0].key(Self.playpause, isDown: true)
    pads[1].key(Self.playpause, isDown: true)
    bench.settle()
    pads[0].die()
    bench.settle()
    #expect(bench.changes == [.down(name("play"))])
    pads[1].key(Self.playpause, isDown: false)
    bench.settle()
    #expect(bench.changes == [.down(name("play")), .up(name("play"))])
  }

  @Test func whatIsHeldAtPowerOnIsKnown() throws {
    let (declarations, devices) = box()
    let keys = FakeKeys("gpio-keys", keys: [Self.playpause])
    keys.key(Self.playpause, isDown: true, isLost: true)
    devices.inputs["/dev/input/event1"] = keys
    let bench = try InputBench(declarations, devices)
    #expect(bench.inputs.isDown(name("play")))
    #expect(bench.changes.isEmpty)
  }

  @Test func newNamesInAFolderAreTold() throws {
    let folder = NSTemporaryDirectory() + "swiftlet-watch-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let watch = try LinuxDevices(devices: folder).watch()
    #expect(watch.follow(.inputs))
    func create(_ name: String) {
      #expect(FileManager.default.createFile(atPath: folder + "/" + name, contents: nil))
    }
    create("null")
    #expect(!watch.takeChanges())
    try FileManager.default.createDirectory(atPath: folder + "/input", withIntermediateDirectories: true)
    #expect(watch.takeChanges())
    #expect(watch.follow(.inputs))
    create("gpiochip0")
    #expect(!watch.takeChanges())
    create("input/event3")
    #expect(watch.takeChanges())
    #expect(watch.follow(.chipsAndLines))
    create("ttyUSB0")
    #expect(watch.takeChanges())
  }
}
