// An LED of /sys/class/leds (Documentation/leds/leds-class.rst in the kernel). Control thread only; never
// blocks.

import Platform

/// An LED switched through sysfs; the kernel's triggers `timer` and `pattern` animate it if they are
/// available.
final class FolderLight: LightOutput {
  private static let maxNumberLength = 10
  private let folder: any LightFolder
  private let brightest: Int
  private let hasTimer: Bool
  private let hasPattern: Bool
  /// Whether writing a trigger's files was denied. udev changes their owner shortly after they appear.
  private var isRefused = false
  /// The trigger that was set originally, which `end` restores.
  private let original: String
  private var trigger: String

  init(_ name: String, _ devices: any ControlDevices) throws(LightFailure) {
    do throws(SystemError) {
      folder = try devices.openLight(name)
      brightest = max(1, Self.number(try folder.text(of: "max_brightness")) ?? 255)
      let triggers = Self.triggers(try folder.text(of: "trigger"))
      hasTimer = triggers.names.contains("timer")
      hasPattern = triggers.names.contains("pattern")
      original = triggers.selected
      trigger = original
      // Write once now, to detect missing permissions early.
      try set(isOn: false)
    } catch {
      throw LightFailure("light " + name, error)
    }
  }

  func canShow(_ motion: LightMotion) -> Bool {
    motion.steady != nil || (!isRefused && (hasPattern || (hasTimer && motion.blink != nil)))
  }

  func reconsider() -> Bool {
    defer { isRefused = false }
    return isRefused
  }

  func show(_ motion: LightMotion) throws(SystemError) {
    if let isOn = motion.steady { return try set(isOn: isOn) }
    do throws(SystemError) {
      try move(motion)
    } catch {
      isRefused = error.code == SystemError.accessDenied
      throw error
    }
  }

  private func move(_ motion: LightMotion) throws(SystemError) {
    // Prefer `timer` for even blinking: some drivers let the hardware do it.
    if hasTimer, let blink = motion.blink, !(motion.isSoft && hasPattern && brightest > 1) {
      try set(isOn: true)
      try select("timer")
      try folder.write(String(blink.on), to: "delay_on")
      try folder.write(String(blink.off), to: "delay_off")
    } else {
      try select("none")
      try select("pattern")
      try folder.write(motion.pattern(brightest: brightest), to: "pattern")
    }
  }

  func set(isOn: Bool) throws(SystemError) {
    try select("none")
    try folder.write(isOn ? String(brightest) : "0", to: "brightness")
  }

  func end() {
    try? set(isOn: false)
    try? select(original)
  }

  private func select(_ name: String) throws(SystemError) {
    guard trigger != name else { return }
    // If the write fails, the trigger is unknown.
    trigger = ""
    try folder.write(name, to: "trigger")
    trigger = name
  }

  private static func number(_ text: String) -> Int? {
    let digits = text.utf8.prefix { $0 >= 0x30 && $0 <= 0x39 }
    guard digits.count <= maxNumberLength else { return nil }
    return Int(String(decoding: Array(digits), as: UTF8.self))
  }

  /// Parses the file `trigger`, such as `none [timer] pattern`, in which brackets mark the selected trigger.
  private static func triggers(_ text: String) -> (names: [String], selected: String) {
    var names: [String] = []
    var selected = "none"
    for word in text.utf8.split(whereSeparator: { $0 == 0x20 || $0 == 0x0A }) {
      var bytes = Array(word)
      let isSelected = bytes.count > 2 && bytes[0] == 0x5B && bytes[bytes.count - 1] == 0x5D
      if isSelected { bytes = Array(bytes[1..<(bytes.count - 1)]) }
      let name = String(decoding: bytes, as: UTF8.self)
      names.append(name)
      if isSelected { selected = name }
    }
    return (names, selected)
  }
}
