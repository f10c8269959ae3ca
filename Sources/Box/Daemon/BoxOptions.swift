// Command-line options of the daemon. A plain value, usable from any thread.

/// Options of `swiftlet run`.
package struct BoxOptions: Sendable {
  /// Path of the configuration file; nil: none, and `save` fails.
  package var configuration: String?
  /// Board whose profile supplies the default configuration; nil: the board named in the file, if any.
  package var board: String?
  /// Program version, shown in reports.
  package var version = "?"
  /// Control socket path to fall back on if the default one is not available; nil: no fallback.
  package var socketOfUser: String?
  /// Path of the file that counts crashes soon after start; nil: no service manager restarts the daemon.
  package var starts: String?
  /// Whether an event rejected by the state machine aborts the process. Used by tests.
  package var isStrict = false

  /// Creates the default options.
  package init() {}
}
