// What a failed system call said. A value; any thread.

import CLinux

/// A system call that failed: which, on what, and why.
package struct SystemError: Error, Hashable, Sendable {
  /// The call, such as `open`.
  package let call: String
  /// What it was about: a path, a device, a peer; empty where nothing names it.
  package let subject: String
  /// The `errno` value.
  package let code: Int32

  /// Records `code`, or the thread's present `errno`.
  package init(_ call: String, on subject: String = "", code: Int32 = clinux_errno()) {
    self.call = call
    self.subject = subject
    self.code = code
  }

  /// The code that says that a path leads nowhere.
  package static var noSuchFile: Int32 { ENOENT }

  /// The kernel's words for the code, such as `No such file or directory`; of a file of the box's state that is refused, what it is and
  /// what to do.
  package var reason: String { StateFileRefusal.reason(self) ?? String(cString: strerror(code)) }

  /// A sentence: subject, reason and call.
  package var description: String {
    if let refusal = StateFileRefusal.reason(self) { return subject + " " + refusal }
    return subject.isEmpty ? "\(reason) (\(call))" : "\(subject): \(reason) (\(call))"
  }
}
