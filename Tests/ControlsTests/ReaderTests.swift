// Tag readers: keyboards that type numbers, and panels. Test threads.

import Controls
import Foundation
import Platform
import PlaybackModel
import Testing

@Suite struct ReaderTests {
  /// A bench with a reader of a given name, and its reports.
  private final class Bench {
    let devices = FakeDevices()
    let inputs: InputBench
    var tags: [TagInput] = []

    init(_ source: ReaderDeclaration.Source, _ keys: [String: FakeKeys] = [:]) throws {
      var declarations = ControlDeclarations()
      declarations.readers = [ReaderDeclaration(name("door"), source)]
      declarations.panels = [PanelDeclaration(path: "/dev/ttyFAKE", baud: 9600)]
      declarations.buttons = [ButtonDeclaration(name("one"), .key(InputCode(code: 2, device: nil)))]
      devices.inputs = keys
      devices.panels["/dev/ttyFAKE"] = FakePanel()
      inputs = try InputBench(declarations, devices)
      inputs.inputs.onTag = { [unowned self] in tags.append($0) }
    }
  }

  private static let codes: [Character: UInt16] = [
    "1": 2, "2": 3, "3": 4, "4": 5, "5": 6, "6": 7, "7": 8, "8": 9, "9": 10, "0": 11, "a": 30, "b": 48,
    "c": 46, "d": 32, "e": 18, "f": 33, ".": 52, "\n": 28,
  ]

  private func reader(_ name: String = "HID RFID Reader") -> FakeKeys {
    FakeKeys(name, keys: Set(Self.codes.values))
  }

  private func type(_ text: String, on keys: FakeKeys) {
    for character in text {
      guard let code = Self.codes[character] else { continue }
      keys.key(code, isDown: true)
      keys.key(code, isDown: false)
    }
  }

  private func placed(_ tag: String) throws -> TagInput {
    .placed(try #require(TagID(tag)), on: name("door"))
  }

  @Test func whatAReaderTypesIsATagAndNothingElse() throws {
    let keys = reader()
    let bench = try Bench(.keyboard("RFID"), ["/dev/input/event1": keys])
    #expect(keys.isGrabbed && !bench.inputs.inputs.problems.contains { $0.contains("reader") })
    type("0012345678\n04a2bc\n\n", on: keys)
    bench.inputs.settle()
    #expect(try bench.tags == [placed("0012345678"), placed("04A2BC")])
    // The digits are also keys, but not buttons of the box.
    #expect(bench.inputs.changes.isEmpty)
  }

  @Test func halfANumberIsForgotten() throws {
    let keys = reader()
    let bench = try Bench(.keyboard("RFID"), ["/dev/input/event1": keys])
    type("0012", on: keys)
    keys.put(.lost)
    type("34\n", on: keys)
    bench.inputs.settle()
    #expect(try bench.tags == [placed("34")])
    type(String(repeating: "1", count: 40) + "\n77\n", on: keys)
    bench.inputs.settle()
    #expect(try bench.tags == [placed("34"), placed("77")])
    #expect(bench.inputs.notes.contains { $0.contains("reader door: a tag of more than 32") })
  }

  @Test func aReaderIsPluggedInAndPulledOut() throws {
    let bench = try Bench(.keyboard("RFID"))
    #expect(
      bench.inputs.inputs.problems.contains(
        "reader door: there is no input device called 'RFID'; waiting for it"))
    let keys = reader()
    bench.devices.inputs["/dev/input/event3"] = keys
    bench.devices.watcher.bell.rings = true
    bench.inputs.wait(for: "the reader") { !bench.inputs.inputs.problems.contains { $0.contains("door") } }
    type("7\n", on: keys)
    bench.inputs.settle()
    #expect(try bench.tags == [placed("7")])
    keys.die()
    bench.devices.inputs = [:]
    bench.inputs.wait(for: "the loss") { bench.inputs.inputs.problems.contains { $0.contains("door") } }
  }

  @Test func whatAnotherProgramHasIsSaid() throws {
    let keys = reader()
    keys.grabError = SystemError("EVIOCGRAB", on: "reader", code: EBUSY)
    let bench = try Bench(.keyboard("RFID"), ["/dev/input/event1": keys])
    #expect(bench.inputs.inputs.problems.contains { $0.hasPrefix("reader door: Device or resource busy") })
    let mouse = FakeKeys("RFID mouse", keys: [272])
    let other = try Bench(.keyboard("RFID"), ["/dev/input/event1": mouse])
    #expect(other.inputs.inputs.problems.contains { $0.contains("has no Enter key") })
  }

  @Test func aPanelReportsTagsAndTheirRemoval() throws {
    let bench = try Bench(.panel)
    let panel = try #require(bench.devices.panels["/dev/ttyFAKE"])
    panel.put("ready\ntag door 04:A2:1B\nuntag door\ntag window 1\ntag door \u{1}\nuntag\n")
    bench.inputs.settle()
    // The first report after `ready` means presence.
    let tag = try #require(TagID("04a21b"))
    #expect(bench.tags == [.lying(tag, on: name("door")), .lifted(from: name("door"))])
    panel.put("tag door 04a21b\ntag door 04a21b\n")
    bench.inputs.settle()
    #expect(
      try bench.tags.dropFirst(2) == [placed("04a21b")], "a tag that was not taken away is no second swipe")
    #expect(bench.inputs.notes.contains { $0.contains("3 lines could not be understood") })
  }

  @Test(arguments: ["", "a b", "ü", "12/3", String(repeating: "1", count: 33)])
  func whatNoTagIsCalled(_ text: String) { #expect(TagID(text) == nil) }
}
