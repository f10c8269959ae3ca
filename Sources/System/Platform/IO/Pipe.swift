// A pipe. Any thread but the audio thread.

import CLinux

/// Both ends of a pipe, closed on release and not inherited by children (pipe2(2), O_CLOEXEC).
package struct Pipe: ~Copyable {
  /// The end to read from.
  package let output: FileDescriptor
  /// The end to write to.
  package let input: FileDescriptor

  /// Creates a pipe.
  package init() throws(SystemError) {
    var ends: (Int32, Int32) = (-1, -1)
    let made = withUnsafeMutableBytes(of: &ends) {
      clinux_pipe($0.baseAddress!.assumingMemoryBound(to: Int32.self))
    }
    guard made == 0 else { throw SystemError("pipe") }
    output = FileDescriptor(owning: ends.0)
    input = FileDescriptor(owning: ends.1)
  }

  /// Returns the end to write to and closes the other.
  package consuming func takeInput() -> FileDescriptor { input }

  /// Returns the end to read from and closes the other.
  package consuming func takeOutput() -> FileDescriptor { output }
}
