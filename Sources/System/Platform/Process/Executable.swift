// The program that runs. Any thread.

import CLinux

/// The program that runs, and where.
package enum Executable {
  /// A path that starts it again.
  package static let own = "/proc/self/exe"

  /// The folder it lies in, links resolved; `/usr/bin` where the kernel does not tell.
  package static var folder: String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &path, path.count)
    guard length > 0, let slash = path[..<length].lastIndex(of: 0x2F) else { return "/usr/bin" }
    return String(decoding: path[..<slash].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The folder that relative paths begin at; `/` where it is gone.
  package static var workingFolder: String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard getcwd(&path, path.count) != nil else { return "/" }
    return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A path from the root.
  package static func absolute(_ path: String) -> String {
    path.utf8.first == 0x2F ? path : workingFolder + "/" + path
  }
}
