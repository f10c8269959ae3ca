// The command line from /proc, because Embedded Swift has no CommandLine. Any thread.

import CLinux

/// The command line of this process.
package enum Arguments {
  /// All arguments, beginning with the program's name (proc(5), /proc/self/cmdline). Empty if /proc is not
  /// mounted.
  package static func all() -> [String] {
    guard let file = try? FileDescriptor.open("/proc/self/cmdline", O_RDONLY) else { return [] }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let n = chunk.withUnsafeMutableBytes { buffer in (try? file.read(into: buffer)) ?? 0 }
      if n == 0 { break }
      bytes += chunk[..<n]
    }
    var arguments: [String] = []
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == 0 {
      arguments.append(String(pathBytes: bytes[start..<index]))
      start = index + 1
    }
    return arguments
  }
}
