// Buttons and knobs on Linux input devices: gpio-keys, rotary-encoder, remotes, keypads. Control thread;
// never blocks.

import Platform

/// The input devices that have a declared key or axis; they may be removed and return.
final class KeyInputs: InputUnit {
  /// The most devices open at once.
  static let maxDevices = 16

  /// A declared key or axis.
  struct Code: Hashable {
    let name: ControlName
    let code: InputCode
    let isAxis: Bool
  }

  private final class Device {
    let path: String
    let source: any KeySource
    let codes: [Code]
    var watch: DescriptorWatch?
    var held: Set<ControlName> = []

    init(path: String, source: any KeySource, codes: [Code]) {
      self.path = path
      self.source = source
      self.codes = codes
    }
  }

  private let codes: [Code]
  private let devices: any ControlDevices
  private let scheduler: any Scheduler
  private let context: UnitContext
  private var opened: [Device] = []

  init(
    _ codes: [Code], devices: any ControlDevices, scheduler: any Scheduler,
    context: UnitContext
  ) {
    self.codes = codes
    self.devices = devices
    self.scheduler = scheduler
    self.context = context
  }

  var problems: [Problem] {
    codes.filter { code in !opened.contains { $0.codes.contains(code) } }.map { code in
      let what = code.isAxis ? "axis" : "key"
      let place = code.code.device.map { " called '" + $0 + "'" } ?? ""
      return Problem(
        subject: (code.isAxis ? "knob " : "button ") + code.name.text,
        reason: "no input device" + place + " has its " + what + "; waiting for one")
    }
  }

  let wants: DeviceKinds = .inputs

  func open() {
    for path in devices.inputPaths() where !opened.contains(where: { $0.path == path }) {
      guard opened.count < Self.maxDevices else { return }
      try? add(path)
    }
  }

  func end() {
    for device in opened { close(device) }
    opened = []
  }

  /// Opens a device if it has a declared key or axis. Failures are not reported here: `problems` lists all
  /// controls without a device.
  private func add(_ path: String) throws(SystemError) {
    let source = try devices.openInput(path)
    let wanted = codes.filter { code in
      has(source, code)
        && (code.code.device.map { InputFilter($0).matches(source.name, at: path, in: devices) } ?? true)
    }
    guard !wanted.isEmpty else { return }
    let device = Device(path: path, source: source, codes: wanted)
    let pressed = try source.pressed(among: keys(of: device))
    device.watch = try DescriptorWatch(scheduler, readable: source.descriptor) {
      [unowned(unsafe) self, unowned(unsafe) device] in
      // Keep the device alive: `read` may drop the last reference to it.
      withExtendedLifetime(device) { read(device) }
    }
    opened.append(device)
    for code in wanted where !code.isAxis && pressed.contains(code.code.code) {
      device.held.insert(code.name)
      context.levels.begin(code.name, isDown: true)
    }
  }

  private func has(_ source: any KeySource, _ code: Code) -> Bool {
    code.isAxis ? source.hasAxis(code.code.code) : source.hasKey(code.code.code)
  }

  private func keys(of device: Device) -> [UInt16] {
    device.codes.filter { !$0.isAxis }.map { $0.code.code }
  }

  private func read(_ device: Device) {
    do throws(SystemError) {
      for event in try device.source.takeEvents() {
        switch event.event {
        case .key(let key, let isDown): set(key, isDown, of: device, at: event.time)
        case .axis(let axis, let detents):
          for code in device.codes where code.isAxis && code.code.code == axis {
            context.levels.turn(code.name, detents: min(max(detents, -100), 100), at: event.time)
          }
        case .lost: try resync(device, at: event.time)
        }
      }
    } catch {
      opened.removeAll { $0 === device }
      close(device)
      context.onLoss()
    }
  }

  private func resync(_ device: Device, at time: UInt64) throws(SystemError) {
    let keys = keys(of: device)
    let pressed = try device.source.pressed(among: keys)
    for key in keys { set(key, pressed.contains(key), of: device, at: time) }
  }

  /// Updates a button. A button that exists on two devices is down while either reports it down.
  private func set(_ key: UInt16, _ isDown: Bool, of device: Device, at time: UInt64) {
    for code in device.codes where !code.isAxis && code.code.code == key {
      if isDown { device.held.insert(code.name) } else { device.held.remove(code.name) }
      let isHeld = opened.contains { $0.held.contains(code.name) }
      context.levels.set(code.name, isDown: isHeld, at: time)
    }
  }

  private func close(_ device: Device) {
    device.watch = nil
    for name in device.held.sorted()
    where !opened.contains(where: { $0 !== device && $0.held.contains(name) }) {
      context.levels.lose(name)
    }
    device.held = []
  }
}
