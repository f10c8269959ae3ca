// Support for the tests of this target: a temporary directory, and child processes. Test threads.

import ChildSupport
import Foundation

/// A temporary directory, removed on deinit.
final class Workbench {
  /// The build directory with the executable, the plugins and the hostile ones.
  static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()
  static let executable = products.appendingPathComponent("swiftlet")

  let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "swiftlet-e2e-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

  @discardableResult
  func write(_ data: Data, as name: String) throws -> String {
    try data.write(to: directory.appendingPathComponent(name))
    return path(name)
  }

  @discardableResult
  func write(_ sound: Sound, as name: String) throws -> String { try write(sound.wav, as: name) }

  /// Whether this user may create namespaces of a kind: `net` or `mount`.
  static func mayMakeNameSpace(_ kind: String) -> Bool {
    guard let bench = try? Workbench(),
      let probe = try? Child(
        URL(filePath: "/usr/bin/unshare"), ["--\(kind)", "--map-root-user", "true"], in: bench.directory)
    else { return false }
    return probe.wait(seconds: 20).status == 0
  }

  struct ToolFailed: Error { let line: String }

  /// Runs one of Debian's tools, which must succeed.
  func tool(_ name: String, _ arguments: String...) throws {
    let process = try Child(
      URL(fileURLWithPath: "/usr/bin/\(name)"), arguments, in: directory, environment: [:])
    let outcome = process.wait(seconds: 60)
    guard outcome.status == 0, !outcome.isCrash else {
      throw ToolFailed(line: "\(name) \(arguments.joined(separator: " ")): \(outcome.errors)")
    }
  }

  /// Waits for a condition caused by another process. Returns false after the timeout.
  func waits(seconds: Double = 20, for condition: () throws -> Bool) rethrows -> Bool {
    let end = DispatchTime.now() + seconds
    while try !condition() {
      guard DispatchTime.now() < end else { return false }
      usleep(2000)
    }
    return true
  }

  /// Starts `swiftlet` in the temporary directory, in strict mode.
  ///
  /// - Parameter terminal: Path of the terminal that it runs in.
  func start(
    _ arguments: [String], environment: [String: String] = [:], terminal: String? = nil, input: String? = nil
  ) throws -> Child {
    try Child(
      Self.executable, arguments, in: directory, environment: environment, terminal: terminal,
      input: input.map { directory.appendingPathComponent($0) })
  }

  /// Runs `swiftlet play` to its end.
  func play(
    _ options: [String] = [], _ files: [String], script: String? = nil, environment: [String: String] = [:],
    seconds: Double = 60
  ) throws -> Outcome {
    var arguments = ["play", "--strict"] + options
    if let script {
      arguments += ["--script", try write(Data(script.utf8), as: "script-\(UUID().uuidString)")]
    }
    return try start(arguments + files, environment: environment).wait(seconds: seconds)
  }

  /// Plays to a recording and reads it. The run must exit with `status`.
  func record(
    _ options: [String] = [], _ files: [String], script: String? = nil, format: String = "FLOAT",
    environment: [String: String] = [:], status: Int32 = 0
  ) throws -> Sound {
    let name = "recording-\(UUID().uuidString).wav"
    let outcome = try play(
      ["--output", name, "--format", format] + options, files, script: script, environment: environment)
    guard outcome.status == status, !outcome.isCrash else {
      throw ToolFailed(line: "swiftlet ended with \(outcome.status): \(outcome.output)\(outcome.errors)")
    }
    return try Sound(wav: try Data(contentsOf: directory.appendingPathComponent(name)))
  }
}
