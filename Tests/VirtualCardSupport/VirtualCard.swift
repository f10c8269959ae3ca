// A virtual sound card for tests: creates its directory and configuration, controls it during playback, and
// reads its recording. Any thread of the test.
import Foundation
import SwiftletVirtualCard

/// A virtual card with its own directory. The card itself runs in the process that opens `deviceName` through
/// libasound.
package final class VirtualCard: @unchecked Sendable {
  /// The name for `snd_pcm_open`. Needs `environment`, which is already set in this process.
  package let deviceName: String
  /// Environment variables with which a child process can open `deviceName` (or `default`).
  package let environment: [String: String]
  /// The card's directory, removed with the card.
  package let directory: URL
  /// The card's properties.
  package let settings: VirtualCardSettings

  let control: UnsafeMutablePointer<SwiftletVirtualCardControl>
  private let wakeDescriptor: Int32

  /// Creates a card that is plugged in.
  package init(_ settings: VirtualCardSettings = VirtualCardSettings()) throws {
    self.settings = settings
    let identifier = UUID().uuidString
    directory = URL(fileURLWithPath: VirtualCard.prefix + identifier)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let path = directory.path
    let configuration =
      """
      record "\(path)/heard.raw"
      control "\(path)/control"
      wake "\(path)/wake"
      \(settings.configuration)
      """
    try configuration.write(toFile: "\(path)/card.conf", atomically: true, encoding: .utf8)
    switch settings.rewind {
    case .granted: deviceName = "\(settings.front.rawValue):\(identifier)"
    case .refused: deviceName = "virtual_norewind:\(identifier),\(settings.rates.lowerBound)"
    }
    let library = try VirtualCard.libraryPath()
    let asound = """
      \(VirtualCard.configuration(library: library))
      pcm.!default { type empty slave.pcm "\(deviceName)" }

      """
    try asound.write(toFile: "\(path)/asound.conf", atomically: true, encoding: .utf8)
    environment = ["ALSA_CONFIG_PATH": "\(path)/asound.conf"]
    try VirtualCard.setUpProcess.get()

    guard mkfifo("\(path)/wake", 0o600) == 0 else { throw VirtualCardError.system("mkfifo", errno) }
    wakeDescriptor = open("\(path)/wake", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard wakeDescriptor >= 0 else { throw VirtualCardError.system("open wake", errno) }
    let descriptor = open("\(path)/control", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw VirtualCardError.system("open control", errno) }
    defer { close(descriptor) }
    let size = MemoryLayout<SwiftletVirtualCardControl>.size
    guard ftruncate(descriptor, off_t(size)) == 0 else {
      throw VirtualCardError.system("ftruncate control", errno)
    }
    let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let mapped, mapped != MAP_FAILED else { throw VirtualCardError.system("mmap control", errno) }
    control = mapped.assumingMemoryBound(to: SwiftletVirtualCardControl.self)
    control.pointee.magic = 0x3164_7261_4374_6653
  }

  deinit {
    munmap(control, MemoryLayout<SwiftletVirtualCardControl>.size)
    close(wakeDescriptor)
    try? FileManager.default.removeItem(at: directory)
  }

  /// CLOCK_MONOTONIC in nanoseconds, the card's time.
  package static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Wakes a client that polls the card, like an interrupt.
  func wake() {
    var byte: UInt8 = 1
    _ = write(wakeDescriptor, &byte, 1)
  }

  /// The common prefix of all cards' directories; the card's identifier follows, which is also the argument
  /// of the device name.
  private static let prefix = FileManager.default.temporaryDirectory.appendingPathComponent("swiftlet-card-")
    .path

  private static func configuration(library: String) -> String {
    """
    pcm_type.swiftlet { lib "\(library)" }
    pcm.virtual {
      @args [ ID ]
      @args.ID { type string }
      type swiftlet
      settings { @func concat strings [ "\(prefix)" $ID "/card.conf" ] }
    }
    pcm.virtual_plug {
      @args [ ID ]
      @args.ID { type string }
      type plug
      slave.pcm { type swiftlet settings { @func concat strings [ "\(prefix)" $ID "/card.conf" ] } }
    }
    pcm.virtual_hooks {
      @args [ ID ]
      @args.ID { type string }
      type hooks
      slave.pcm { type swiftlet settings { @func concat strings [ "\(prefix)" $ID "/card.conf" ] } }
    }
    pcm.virtual_iec958 {
      @args [ ID ]
      @args.ID { type string }
      type iec958
      slave {
        pcm { type swiftlet settings { @func concat strings [ "\(prefix)" $ID "/card.conf" ] } }
        format IEC958_SUBFRAME_LE
      }
    }
    pcm.virtual_norewind {
      @args [ ID RATE ]
      @args.ID { type string }
      @args.RATE { type integer }
      type rate
      converter "linear"
      slave {
        pcm { type swiftlet settings { @func concat strings [ "\(prefix)" $ID "/card.conf" ] } }
        rate $RATE
      }
    }
    """
  }

  /// The plugin built by SwiftPM: next to the test program.
  private static func libraryPath() throws -> String {
    if let given = ProcessInfo.processInfo.environment["SWIFTLET_VIRTUAL_CARD"] { return given }
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(fileURLWithPath: program).deletingLastPathComponent()
      .appendingPathComponent("libSwiftletVirtualCard.so").path
    guard FileManager.default.fileExists(atPath: path) else { throw VirtualCardError.notBuilt(path) }
    return path
  }

  private static var processConfiguration: String {
    FileManager.default.temporaryDirectory.appendingPathComponent("swiftlet-cards-\(getpid()).conf").path
  }

  /// One configuration for all cards of this process: device names contain the directory.
  private static let setUpProcess: Result<Void, any Error> = Result {
    let path = processConfiguration
    try configuration(library: libraryPath()).write(toFile: path, atomically: true, encoding: .utf8)
    setenv("ALSA_CONFIG_PATH", path, 1)
    atexit { unlink(VirtualCard.processConfiguration) }
  }
}

/// Reasons why a virtual card could not be created.
package enum VirtualCardError: Error, CustomStringConvertible {
  /// The plugin is not next to the tests.
  case notBuilt(String)
  /// A system call failed.
  case system(String, Int32)

  /// A sentence for the test log.
  package var description: String {
    switch self {
    case .notBuilt(let path):
      "\(path) is missing: run `swift build --product SwiftletVirtualCard` or set SWIFTLET_VIRTUAL_CARD"
    case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
    }
  }
}
