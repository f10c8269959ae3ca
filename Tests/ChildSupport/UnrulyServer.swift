// A web server that misbehaves as a test asks: Tests/UnrulyServer, a process of its own. Test threads.

import CLinux
import Foundation

/// Serves a folder's files on loopback.
package final class UnrulyServer {
  private let process: Child
  private let port: String

  struct NoPort: Error { let errors: String }

  /// Starts one.
  package init(serving folder: URL) throws {
    let program = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../UnrulyServer/server.py")
    process = try Child(
      URL(filePath: "/usr/bin/python3"), ["-B", program.standardizedFileURL.path, folder.path], in: folder)
    let limit = ContinuousClock.now + .seconds(20)
    while !process.outputSoFar.contains("\n"), ContinuousClock.now < limit, process.isRunning { usleep(2000) }
    guard let first = process.outputSoFar.split(separator: "\n").first else {
      throw NoPort(errors: process.errorsSoFar)
    }
    port = String(first)
  }

  /// What is asked for to have a file served in a manner, such as `plain`.
  package func url(_ manner: String, _ name: String, host: String = "127.0.0.1") -> String {
    "http://\(host):\(port)/\(manner)/\(name)"
  }

  /// Where it is asked as a proxy, for what it serves as http://radio.invalid.
  package var proxy: String { "http://127.0.0.1:\(port)" }

  /// The requests so far: path and range.
  package var requests: [String] { process.outputSoFar.split(separator: "\n").dropFirst().map { String($0) } }
}
