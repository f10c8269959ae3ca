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

  /// Whether the shell finds a program.
  ///
  /// - Parameter name: A path, or a name that is searched for in PATH.
  /// - Returns: Nil if the text is neither, but syntax of the shell or one of its built-in commands.
  package static func isInstalled(_ name: String) -> Bool? {
    let builtIns = [
      ".", ":", "[", "case", "cd", "command", "echo", "eval", "exec", "exit", "export", "if", "for", "read",
      "set",
      "trap", "ulimit", "umask", "unset", "until", "while",
    ]
    guard !name.utf8.isEmpty, !builtIns.contains(name), name.utf8.allSatisfy({ isPlain($0) }) else {
      return nil
    }
    if name.utf8.contains(0x2F) { return canRun(name) }
    let folders = (Environment.value("PATH") ?? "/usr/bin:/bin").utf8.split(separator: 0x3A)
    return folders.contains { canRun(String(decoding: Array($0), as: UTF8.self) + "/" + name) }
  }

  private static func canRun(_ path: String) -> Bool { path.withPath { access($0, X_OK) } == 0 }

  /// Whether a byte has no meaning for the shell.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x2F, 0x5F: true
    default: byte >= 0x80
    }
  }
}
