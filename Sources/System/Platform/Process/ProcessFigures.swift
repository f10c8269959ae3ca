// Memory and scheduling statistics of this process. Control thread; reads /proc.

import CLinux

/// The resident memory of this process.
package enum ResidentMemory {
  /// The resident set in KiB; 0 without /proc.
  package static var kibibytes: Int {
    guard let text = try? TextFile.read("/proc/self/statm", limit: 4096) else { return 0 }
    let words = text.split(separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else { return 0 }
    return pages * sysconf(Int32(_SC_PAGESIZE)) / 1024
  }
}

/// The number of voluntary context switches of this process, a measure of its wake-ups.
package enum ThreadSwitches {
  /// The sum over all running threads; 0 without /proc.
  package static var count: Int {
    guard let threads = try? Directory.entries(of: "/proc/self/task") else { return 0 }
    var sum = 0
    for thread in threads {
      guard let text = try? TextFile.read("/proc/self/task/" + thread.name + "/status", limit: 16384) else {
        continue
      }
      for line in text.split(separator: "\n") where line.hasPrefix("voluntary_ctxt_switches:") {
        sum += line.split(separator: "\t").last.flatMap { Int($0) } ?? 0
      }
    }
    return sum
  }
}
