// A temporary directory and the reference encoders and decoders. Test threads.

import ChildSupport
import Foundation

/// A temporary directory for one test; call `remove` at its end.
struct Bench: Sendable {
  let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("swiftlet-codecs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: directory) }

  func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: directory.appendingPathComponent(name))
  }

  func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: directory.appendingPathComponent(name)))
  }

  func run(_ tool: String, _ arguments: String...) throws { try run(tool, arguments) }

  /// Runs a system tool in the directory, which must succeed.
  func run(_ tool: String, _ arguments: [String]) throws {
    let outcome = try Child(
      URL(fileURLWithPath: "/usr/bin/env"), [tool] + arguments, in: directory
    ).wait(seconds: 120)
    guard outcome.status == 0, !outcome.isCrash else {
      throw ToolError(tool: tool, arguments: arguments, outcome: outcome)
    }
  }
}

struct ToolError: Error {
  let tool: String
  let arguments: [String]
  let outcome: Outcome
}

extension [UInt8] {
  /// Little-endian 16-bit samples, scaled to 1.0.
  var int16Samples: [Float] {
    stride(from: 0, to: count - 1, by: 2).map {
      Float(Int16(bitPattern: UInt16(self[$0]) | UInt16(self[$0 + 1]) << 8)) / 32768
    }
  }

  /// Little-endian 32-bit floating-point samples.
  var floatSamples: [Float] {
    stride(from: 0, to: count - 3, by: 4).map { offset in
      Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(self[offset + $1]) << UInt32(8 * $1) })
    }
  }
}
