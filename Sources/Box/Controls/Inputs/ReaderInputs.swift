// USB tag readers that act as keyboards. Control thread; never blocks.

import Platform
import PlaybackModel

/// The input devices of the declared readers. They are grabbed while open, so that their keys reach no other
/// program; they may be removed and return.
final class ReaderInputs: InputUnit {
  private final class Reader {
    let name: ControlName
    let filter: InputFilter
    var opened: Opened?
    /// The reason why the device cannot be used; nil if there is none.
    var reason: String?

    init(_ name: ControlName, _ filter: InputFilter) {
      self.name = name
      self.filter = filter
    }
  }

  private final class Opened {
    let path: String
    let source: any KeySource
    var typed = TypedTag()
    var watch: DescriptorWatch?

    init(_ path: String, _ source: any KeySource) {
      self.path = path
      self.source = source
    }
  }

  private let readers: [Reader]
  private let devices: any ControlDevices
  private let scheduler: any Scheduler
  private let context: UnitContext

  /// Creates the readers, each with the name or path of its device.
  init(
    _ readers: [(name: ControlName, device: String)], devices: any ControlDevices,
    scheduler: any Scheduler, context: UnitContext
  ) {
    self.readers = readers.map { Reader($0.name, InputFilter($0.device)) }
    self.devices = devices
    self.scheduler = scheduler
    self.context = context
  }

  var problems: [Problem] {
    readers.filter { $0.opened == nil }.map {
      Problem(
        subject: "reader " + $0.name.text,
        reason: $0.reason ?? "there is no input device called '" + $0.filter.text + "'; waiting for it")
    }
  }

  let wants: DeviceKinds = .inputs

  func open() {
    for reader in readers where reader.opened == nil {
      reader.reason = nil
      for path in devices.inputPaths() where !readers.contains(where: { $0.opened?.path == path }) {
        if open(path, for: reader) { break }
      }
    }
  }

  func end() {
    for reader in readers { reader.opened = nil }
  }

  /// Opens a device if it matches the reader.
  private func open(_ path: String, for reader: Reader) -> Bool {
    do throws(SystemError) {
      let source = try devices.openInput(path)
      guard reader.filter.matches(source.name, at: path, in: devices) else { return false }
      guard source.hasKey(TypedTag.enter) else {
        reader.reason = "'" + source.name + "' has no Enter key, so it is no reader; waiting for another"
        return false
      }
      try source.grab()
      let opened = Opened(path, source)
      opened.watch = try DescriptorWatch(scheduler, readable: source.descriptor) {
        [unowned(unsafe) self, unowned(unsafe) reader] in
        // Keep the device alive: `read` may drop the last reference to it.
        guard let opened = reader.opened else { return }
        withExtendedLifetime(opened) { read(opened, of: reader) }
      }
      reader.opened = opened
      return true
    } catch {
      // A device that cannot be opened has no known name, so only a filter by path can match it.
      if error.call == InputDevice.grabCall || reader.filter.matches("", at: path, in: devices) {
        reader.reason = error.reason + "; looking for it again"
      }
      return false
    }
  }

  private func read(_ opened: Opened, of reader: Reader) {
    do throws(SystemError) {
      for event in try opened.source.takeEvents() {
        switch event.event {
        case .key(let code, isDown: true): take(opened.typed.take(code, at: event.time), of: reader)
        // With digits missing it would be a different tag.
        case .lost: opened.typed.reset()
        case .key, .axis: continue
        }
      }
    } catch {
      reader.opened = nil
      context.onLoss()
    }
  }

  private func take(_ end: TypedTag.End?, of reader: Reader) {
    switch end {
    case .tag(let tag): context.onTag(.placed(tag, on: reader.name))
    case .tooLong:
      context.onNote(
        "reader \(reader.name.text): a tag of more than \(TagID.maxLength) letters and digits is left out.")
    case .some(.none), nil: return
    }
  }
}
