// What a failed system call said. A value; any thread.

import CLinux

/// A system call that failed: which, on what, and why.
public struct SystemError: Error, Hashable, Sendable {
  /// The call, such as `open`.
  public let call: String
  /// What it was about: a path, a device, a peer; empty where nothing names it.
  public let subject: String
  /// The `errno` value.
  public let code: Int32

  /// Records `code`, or the thread's present `errno`.
  public init(_ call: String, on subject: String = "", code: Int32 = clinux_errno()) {
    self.call = call
    self.subject = subject
    self.code = code
  }

  /// The code that says that a path leads nowhere.
  public static var noSuchFile: Int32 { ENOENT }

  /// The kernel's words for the code, such as `No such file or directory`.
  public var reason: String { String(cString: strerror(code)) }

  /// A sentence: subject, reason and call.
  public var description: String {
    subject.isEmpty ? "\(reason) (\(call))" : "\(subject): \(reason) (\(call))"
  }
}
