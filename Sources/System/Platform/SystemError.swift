// The error type of failed system calls. A value; any thread.

import CLinux

/// A failed system call, with its subject and its errno.
package struct SystemError: Error, Hashable, Sendable {
  /// The call, such as `open`.
  package let call: String
  /// A path, a device or a peer; empty if there is none.
  package let subject: String
  /// The `errno` value.
  package let code: Int32

  /// Creates an error with `code`, by default the calling thread's `errno`.
  package init(_ call: String, on subject: String = "", code: Int32 = clinux_errno()) {
    self.call = call
    self.subject = subject
    self.code = code
  }

  /// The code for a path that does not exist.
  package static var noSuchFile: Int32 { ENOENT }

  /// The text of the code, such as `No such file or directory`. For a refused file, its type and a
  /// remedy.
  package var reason: String { refusal ?? String(cString: strerror(code)) }

  /// A sentence with subject, reason and call.
  package var description: String {
    if let refusal { return subject + " " + refusal }
    return subject.isEmpty ? "\(reason) (\(call))" : "\(subject): \(reason) (\(call))"
  }
}
