// A misbehaving web server for tests: Tests/UnrulyServer, a separate process. Test threads.

import CLinux
import Foundation

/// Serves a folder's files on loopback.
package final class UnrulyServer {
  private let process: Child
  private let port: String

  struct NoPort: Error { let errors: String }

  /// Starts a server for a folder.
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

  /// The address of a file that is served with a given behavior, such as `plain`.
  package func url(_ manner: String, _ name: String, host: String = "127.0.0.1") -> String {
    "http://\(host):\(port)/\(manner)/\(name)"
  }

  /// The server's address as a proxy, for files at http://radio.invalid.
  package var proxy: String { "http://127.0.0.1:\(port)" }

  /// The requests so far: path and range.
  package var requests: [String] { process.outputSoFar.split(separator: "\n").dropFirst().map { String($0) } }
}
