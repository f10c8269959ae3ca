// A child process of a test, reaped through its pidfd and not by Foundation. Test threads.

import CLinux
import Foundation
import Platform

/// The result of a program.
package struct Outcome {
  /// The exit status, or the signal number if `isCrash`.
  package var status: Int32
  /// Whether a signal terminated it.
  package var isCrash: Bool
  /// Its standard output; empty if that was a terminal.
  package var output: String
  /// Its standard error; empty if that was a terminal.
  package var errors: String
  /// Seconds from its start until its end was noticed by a wait.
  package var seconds: Double

  /// Whether one line of the errors contains all the words.
  package func reports(_ words: String...) -> Bool {
    errors.split(separator: "\n").contains { line in words.allSatisfy { line.contains($0) } }
  }
}

/// A program that runs beside the test. It gets only the given terminal, and is killed and reaped on deinit,
/// because a zombie would hide the exits of the testing library's own children, and the run would never end.
package final class Child {
  private var process: ChildProcess
  private let output: URL
  private let errors: URL
  private let begun = ContinuousClock.now

  /// Maximum time in seconds until a killed program has ended.
  private static let secondsToDie = 20.0

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - directory: Its working directory, which also gets the files with its output.
  ///   - environment: Variables in addition to those of the test.
  ///   - terminal: Path of the terminal that it uses.
  package init(
    _ executable: URL, _ arguments: [String], in directory: URL, environment: [String: String] = [:],
    terminal: String? = nil, input: URL? = nil
  ) throws {
    let name = UUID().uuidString
    output = directory.appendingPathComponent("out-\(name)")
    errors = directory.appendingPathComponent("err-\(name)")
    let line = terminal.map { ($0, O_RDWR | O_NOCTTY) }
    let table = [
      line ?? (input?.path ?? "/dev/null", O_RDONLY), line ?? (output.path, O_WRONLY | O_CREAT),
      (errors.path, O_WRONLY | O_CREAT),
    ]
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { close(descriptor) } }
    for (path, flags) in table {
      let descriptor = open(path, flags | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw SystemError("open", on: path) }
      descriptors.append(descriptor)
    }
    let variables = ProcessInfo.processInfo.environment
      .filter { !$0.key.hasPrefix("ALSA_") && !$0.key.hasPrefix("SWIFTLET_") }
      .merging(environment) { $1 }
    process = try ChildProcess.spawn(
      "/usr/bin/env", arguments: ["env", "--chdir", directory.path, executable.path] + arguments,
      environment: variables.map { "\($0)=\($1)" }, descriptors: descriptors)
  }

  deinit { _ = end() }

  /// The process id.
  package var identifier: Int32 { process.pid }
  /// Whether it has not ended yet.
  package var isRunning: Bool { process.reap() == nil }
  /// Its standard output so far.
  package var outputSoFar: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
  /// Its standard error so far.
  package var errorsSoFar: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

  /// Waits for its end. After `seconds` it is killed, which the outcome shows as signal 9.
  package func wait(seconds: Double) -> Outcome {
    let ending = ending(within: seconds) ?? end()
    let time = (ContinuousClock.now - begun) / .seconds(1)
    var outcome = Outcome(
      status: SIGKILL, isCrash: true, output: outputSoFar, errors: errorsSoFar, seconds: time)
    switch ending?.cause {
    case .exited(let status)?: (outcome.status, outcome.isCrash) = (status, false)
    case .killed(let signal)?: outcome.status = signal
    case nil: outcome.errors += "\nThe kernel did not end it within \(Self.secondsToDie) seconds of SIGKILL."
    }
    return outcome
  }

  private func ending(within seconds: Double) -> ChildProcess.Ending? {
    let limit = ContinuousClock.now + .seconds(seconds)
    while true {
      if let ending = process.reap() { return ending }
      let left = (limit - ContinuousClock.now) / .milliseconds(1)
      guard left > 0 else { return nil }
      var entry = pollfd(fd: process.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, Int32(left.rounded(.up)))
    }
  }

  private func end() -> ChildProcess.Ending? {
    process.kill()
    return ending(within: Self.secondsToDie)
  }
}
