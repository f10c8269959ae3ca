// The path of the running program, and absolute paths. Any thread.

import CLinux

/// The running program.
package enum Executable {
  /// A path that starts the same program again.
  package static let own = "/proc/self/exe"

  /// The program's folder with links resolved; `/usr/bin` if the kernel does not report it.
  package static var folder: String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &path, path.count)
    guard length > 0, let slash = path[..<length].lastIndex(of: 0x2F) else { return "/usr/bin" }
    return String(decoding: path[..<slash].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The working folder; `/` if it has been deleted.
  package static var workingFolder: String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard getcwd(&path, path.count) != nil else { return "/" }
    return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Makes a path absolute.
  package static func absolute(_ path: String) -> String {
    path.utf8.first == 0x2F ? path : workingFolder + "/" + path
  }
}
