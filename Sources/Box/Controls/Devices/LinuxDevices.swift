// The real devices of a Linux machine: GPIO, evdev, ttys and LEDs. Control thread only; no call blocks.

import Platform

/// Devices of a Linux machine, below folders that tests can replace.
package final class LinuxDevices: ControlDevices {
  private let devices: String
  private let lights: String
  private let readers: (NFCConnection) throws(SystemError) -> any ByteSource

  /// Creates access to a machine's devices.
  ///
  /// - Parameters:
  ///   - devices: The folder with gpiochipN and input/eventN.
  ///   - lights: The folder with a folder for each LED.
  ///   - readers: Starts the process that reads a PN532.
  package init(
    devices: String = "/dev", lights: String = "/sys/class/leds",
    readers: @escaping (NFCConnection) throws(SystemError) -> any ByteSource = {
      (connection: NFCConnection) throws(SystemError) -> any ByteSource in
      throw SystemError("start", on: connection.text, code: SystemError.unsupported)
    }
  ) {
    self.devices = devices
    self.lights = lights
    self.readers = readers
  }

  package func openChip(_ name: String) throws(SystemError) -> any LineChip {
    try GPIOChip.named(name, in: devices)
  }

  package func inputPaths() -> [String] {
    let folder = devices + "/input"
    guard let entries = try? Directory.entries(of: folder) else { return [] }
    return entries.map { $0.name }.filter { $0.utf8.starts(with: "event".utf8) }.sorted()
      .map { folder + "/" + $0 }
  }

  package func openInput(_ path: String) throws(SystemError) -> any KeySource { try InputDevice(path: path) }

  package func resolved(_ path: String) -> String { AtomicFile.resolved(path) ?? path }

  package func openPanel(_ panel: PanelDeclaration) throws(SystemError) -> any ByteSource {
    PanelLine(try SerialPort.open(panel.path, baud: panel.baud))
  }

  package func startReader(_ connection: NFCConnection) throws(SystemError) -> any ByteSource {
    try readers(connection)
  }

  package func openLight(_ name: String) throws(SystemError) -> any LightFolder {
    let folder = lights + "/" + name
    guard Directory.isDirectory(folder) else {
      throw SystemError("open", on: folder, code: SystemError.noSuchFile)
    }
    return SysfsLight(folder)
  }

  package func watch() throws(SystemError) -> any DeviceWatch { LinuxDeviceWatch(try FolderWatch(), devices) }
}

extension GPIOChip: LineChip {
  package func requestLines(_ configuration: GPIOConfiguration) throws(SystemError) -> any LineRequest {
    try request(configuration)
  }
}

extension GPIOLines: LineRequest {}

extension InputDevice: KeySource {}

/// A tty as a source of bytes.
private final class PanelLine: ByteSource {
  /// Bytes per read, about eight reports, so that a panel that floods its line does not block other event
  /// sources.
  private static let maxReadBytes = 64
  private let line: FileDescriptor

  init(_ line: consuming FileDescriptor) { self.line = line }

  var descriptor: Int32 { line.raw }

  func takeBytes() throws(SystemError) -> [UInt8] {
    guard let bytes = try line.read(atMost: Self.maxReadBytes) else { return [] }
    // End of file on a tty means that the other end has gone.
    guard !bytes.isEmpty else { throw SystemError("read", code: SystemError.noSuchDevice) }
    return bytes
  }
}

/// An LED of /sys/class/leds.
private final class SysfsLight: LightFolder {
  private let folder: String

  init(_ folder: String) { self.folder = folder }

  func text(of file: String) throws(SystemError) -> String {
    try TextFile.read(folder + "/" + file, limit: 16_384)
  }

  func write(_ text: String, to file: String) throws(SystemError) {
    try TextFile.overwrite(folder + "/" + file, with: text)
  }
}

private final class LinuxDeviceWatch: DeviceWatch {
  private let watch: FolderWatch
  private let devices: String
  private var kinds: DeviceKinds = []

  init(_ watch: FolderWatch, _ devices: String) {
    self.watch = watch
    self.devices = devices
  }

  var descriptor: Int32 { watch.descriptor }

  func follow(_ wanted: DeviceKinds) -> Bool {
    kinds = wanted
    let inputs = devices + "/input"
    let hasInputs = !wanted.contains(.inputs) || watch.add(inputs)
    if !wanted.contains(.inputs) { watch.remove(inputs) }
    // /dev/input does not exist before the first input device; then watch /dev for it.
    if wanted.contains(.chipsAndLines) || !hasInputs { return watch.add(devices) }
    watch.remove(devices)
    return true
  }

  func takeChanges() -> Bool {
    watch.takeNames().contains { isDevice($0) }
  }

  private func isDevice(_ name: String) -> Bool {
    for start in ["gpiochip", "tty", "serial", "event", "input", "i2c-", "spidev"]
    where name.utf8.starts(with: start.utf8) {
      return true
    }
    return name.utf8.isEmpty
  }
}
