// Writes text to standard output or standard error. Control thread; may block on a slow reader.

import CLinux

/// One of the process's two text streams.
package enum TextOutput: Int32, Sendable {
  case standardOutput = 1
  case standardError = 2

  /// Writes the text unchanged. Write errors are ignored, because there is no other place to report them.
  package func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var done = 0
      while done < bytes.count {
        let n = CLinux.write(rawValue, bytes.baseAddress! + done, bytes.count - done)
        if n > 0 {
          done += n
        } else if clinux_errno() != EINTR {
          return
        }
      }
    }
  }

  /// Writes the text without control characters, and a line end.
  package func line(_ text: String) { write(text.printable() + "\n") }

  /// Whether the stream is a terminal.
  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The stream's descriptor if it is a pipe, for an event loop to detect that its reader has gone; nil
  /// otherwise.
  package var pipe: Int32? {
    var status = stat()
    guard fstat(rawValue, &status) == 0, clinux_is_pipe(status.st_mode) != 0 else { return nil }
    return rawValue
  }
}
