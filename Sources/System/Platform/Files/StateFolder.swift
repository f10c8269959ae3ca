// Opens the folders of state files component by component, and defines which files and links are refused.
// Blocks on storage.

import CLinux

/// Opens folders without following links, except those of root.
enum StateFolder {
  /// The most links of root in one path.
  private static let maxLinks = 16
  private static let maxLinkBytes = 4096

  /// Opens a folder; an empty path is the working folder.
  ///
  /// - Parameters:
  ///   - folder: The folder's path.
  ///   - path: The path of the file to be opened there, for errors.
  static func open(_ folder: String, for path: String) throws(SystemError) -> FileDescriptor {
    var rest = Array(folder.utf8.split(separator: 0x2F).map { Array($0) }.reversed())
    let isAbsolute = folder.utf8.first == 0x2F
    var current = try FileDescriptor.open(isAbsolute ? "/" : ".", CLINUX_O_PATH | O_DIRECTORY)
    var links = 0
    var done = isAbsolute ? "" : "."
    while let component = rest.popLast() {
      let name = String(decoding: component, as: UTF8.self)
      let fd = name.withPath { clinux_open_at(current.raw, $0, CLINUX_O_PATH | O_NOFOLLOW, 0) }
      guard fd >= 0 else { throw SystemError("open", on: path) }
      let next = FileDescriptor(owning: fd)
      let status = try next.status()
      if status.isLink {
        links += 1
        guard links <= maxLinks, try isTrusted(status) else {
          throw SystemError(StateFileRefusal.folderCall, on: done + "/" + name, code: ELOOP)
        }
        let target = try target(of: next, path)
        rest += target.split(separator: 0x2F).map { Array(String(pathBytes: $0).utf8) }.reversed()
        if target.first == 0x2F {
          current = try FileDescriptor.open("/", CLINUX_O_PATH | O_DIRECTORY)
          done = ""
        }
        continue
      }
      guard status.isFolder else { throw SystemError("open", on: path, code: ENOTDIR) }
      current = next
      done += "/" + name
    }
    return current.outOfReach()
  }

  /// Whether a link may be followed: root must have created it on the root file system. Removable storage may
  /// contain links of any owner.
  private static func isTrusted(_ status: FileStatus) throws(SystemError) -> Bool {
    guard status.owner == 0, let root = try FileStatus.of("/") else { return false }
    return status.identity.device == root.identity.device
  }

  private static func target(of link: borrowing FileDescriptor, _ path: String) throws(SystemError) -> [UInt8]
  {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: maxLinkBytes) { buffer, filled in
      let count = clinux_read_link(link.raw, buffer.baseAddress, buffer.count)
      if count < 0 { failure = SystemError("readlink", on: path) }
      filled = max(0, Int(count))
    }
    if let failure { throw failure }
    return bytes
  }
}

/// Refusals of files that are not ordinary files.
package enum StateFileRefusal {
  /// The `SystemError.call` for a refused file (`call`), and for a refused link in its folder's path
  /// (`folderCall`).
  package static let call = "state file"
  package static let folderCall = "state folder"

  /// Refuses anything but an ordinary file.
  ///
  /// - Throws: ELOOP for a link, EISDIR for a folder, EOPNOTSUPP for a device, EINVAL for pipes and sockets.
  static func check(_ status: FileStatus, _ path: String) throws(SystemError) {
    if let code = FileRefusal.code(status) { throw SystemError(call, on: path, code: code) }
  }

  /// The reason and a remedy, to follow the path; nil for other errors.
  static func reason(_ error: SystemError) -> String? {
    if error.call == folderCall {
      return "is a symbolic link in the path of a file that the box writes; name the path that it leads to"
    }
    guard error.call == call else { return nil }
    return "is " + FileRefusal.kind(error.code)
      + ", where the box keeps a file of its own; move it away, or name another path"
  }
}

/// Refusals of files that users name, such as the configuration. Links are followed.
package enum FileRefusal {
  /// The `SystemError.call` for a refused file.
  package static let call = "file"
  /// The `SystemError.call` for a serial line that is none.
  static let lineCall = "serial line"

  /// Refuses anything but an ordinary file.
  ///
  /// - Throws: EISDIR for a folder, EOPNOTSUPP for a device, EINVAL for pipes and sockets.
  static func check(_ status: FileStatus, _ path: String) throws(SystemError) {
    if let code = code(status) { throw SystemError(call, on: path, code: code) }
  }

  fileprivate static func code(_ status: FileStatus) -> Int32? {
    guard !status.isRegular else { return nil }
    return status.isLink ? ELOOP : status.isFolder ? EISDIR : status.isDevice ? EOPNOTSUPP : EINVAL
  }

  fileprivate static func kind(_ code: Int32) -> String {
    switch code {
    case ELOOP: "a symbolic link"
    case EISDIR: "a folder"
    case EOPNOTSUPP: "a device"
    default: "a pipe or a socket"
    }
  }

  /// The reason and a remedy, to follow the path; nil for other errors.
  static func reason(_ error: SystemError) -> String? {
    if error.call == lineCall { return "is no serial line; name a tty, such as /dev/ttyACM0 or /dev/ttyS0" }
    guard error.call == call else { return nil }
    return "is " + kind(error.code) + ", not a file; move it away, or name a file"
  }
}

extension SystemError {
  /// Whether a file was refused because of its kind or a link in its path. A retry alone changes nothing.
  package var isRefusedFile: Bool { refusal != nil }

  /// The reason and a remedy of a refused file, to follow its path; nil for other errors.
  var refusal: String? { StateFileRefusal.reason(self) ?? FileRefusal.reason(self) }
}
