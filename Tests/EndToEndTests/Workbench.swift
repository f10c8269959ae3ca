// What the tests of this target share: a scratch directory, and programs run as child processes.

import Foundation

/// How a program ended.
struct Outcome {
  /// The exit status, or the signal's number if `isCrash`.
  var status: Int32
  var isCrash: Bool
  var output: String
  var errors: String
  var seconds: Double

  /// Whether one line of the errors holds all the words.
  func reports(_ words: String...) -> Bool {
    errors.split(separator: "\n").contains { line in words.allSatisfy { line.contains($0) } }
  }
}

/// A scratch directory, removed when it goes.
final class Workbench {
  /// Where the build put the executable, the plugins and the hostile ones.
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

  struct ToolFailed: Error { let line: String }

  /// Runs one of Debian's tools; it must succeed.
  func tool(_ name: String, _ arguments: String...) throws {
    let process = try Child(
      URL(fileURLWithPath: "/usr/bin/\(name)"), arguments, in: directory, environment: [:])
    let outcome = process.wait(seconds: 60)
    guard outcome.status == 0, !outcome.isCrash else {
      throw ToolFailed(line: "\(name) \(arguments.joined(separator: " ")): \(outcome.errors)")
    }
  }

  /// Waits for something that another process does; false if it never does.
  func waits(seconds: Double = 20, for condition: () throws -> Bool) rethrows -> Bool {
    let end = DispatchTime.now() + seconds
    while try !condition() {
      guard DispatchTime.now() < end else { return false }
      usleep(2000)
    }
    return true
  }

  /// Starts `swiftlet` in the scratch directory. Every run is strict.
  /// `terminal` is the path of the one it is used in.
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

  /// Plays into a recording and reads it. The run has to end with `status`.
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

/// A program that runs beside the test. It sees no terminal but the one it is given.
final class Child {
  private let process = Process()
  private let ended = DispatchSemaphore(value: 0)
  private let output: URL
  private let errors: URL
  private let begun = DispatchTime.now()

  init(
    _ executable: URL, _ arguments: [String], in directory: URL, environment: [String: String],
    terminal: String? = nil, input: URL? = nil
  ) throws {
    let name = UUID().uuidString
    output = directory.appendingPathComponent("out-\(name)")
    errors = directory.appendingPathComponent("err-\(name)")
    for url in [output, errors] { try Data().write(to: url) }
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = directory
    process.environment = ProcessInfo.processInfo.environment
      .filter { !$0.key.hasPrefix("ALSA_") && !$0.key.hasPrefix("SWIFTLET_") }
      .merging(environment) { $1 }
    // Ours are closed at once: with more than 1024 open ones Foundation loses processes that end.
    var mine: [FileHandle] = []
    defer { for handle in mine { try? handle.close() } }
    func opened(_ handle: FileHandle) -> FileHandle {
      mine.append(handle)
      return handle
    }
    let line = terminal.map { opened(FileHandle(fileDescriptor: open($0, O_RDWR | O_NOCTTY))) }
    process.standardInput =
      try line ?? input.map { opened(try FileHandle(forReadingFrom: $0)) } ?? FileHandle.nullDevice
    process.standardOutput = try line ?? opened(FileHandle(forWritingTo: output))
    process.standardError = try opened(FileHandle(forWritingTo: errors))
    let ended = ended
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  var identifier: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }
  var outputSoFar: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
  var errorsSoFar: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

  /// Waits for its end; one that takes longer is killed, which the outcome shows as a crash by signal 9.
  func wait(seconds: Double) -> Outcome {
    if ended.wait(timeout: .now() + seconds) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
    }
    let time = Double(DispatchTime.now().uptimeNanoseconds - begun.uptimeNanoseconds) / 1e9
    return Outcome(
      status: process.terminationStatus, isCrash: process.terminationReason == .uncaughtSignal,
      output: outputSoFar, errors: errorsSoFar, seconds: time)
  }
}
