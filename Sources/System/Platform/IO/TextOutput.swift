// Text for a person or a program, to stdout or stderr. Control thread; may wait for a slow reader.

import CLinux

/// One of the process's two text streams.
package enum TextOutput: Int32, Sendable {
  case standardOutput = 1
  case standardError = 2

  /// Writes the text as it is. What the stream does not take is lost: no one is there to tell.
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

  /// Writes the text, fit for a terminal, and ends the line.
  package func line(_ text: String) { write(text.printable() + "\n") }

  /// Whether a terminal is behind it.
  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// For an event loop, as something that changes when the reader goes away; nil where there is none to go.
  package var pipe: Int32? {
    var status = stat()
    guard fstat(rawValue, &status) == 0, clinux_is_pipe(status.st_mode) != 0 else { return nil }
    return rawValue
  }
}
