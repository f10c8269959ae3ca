// What the daemon is told on its command line. A value; any thread.

/// What `swiftlet run` was told on its command line.
package struct BoxOptions: Sendable {
  /// The configuration file; nil is none, and `save` has nowhere to write.
  package var configuration: String?
  /// The board whose profile the configuration begins with; nil: the one that the file names, if any.
  package var board: String?
  /// The program's version, for reports.
  package var version = "?"
  /// Where the control socket is if it cannot be at its usual place; nil: nowhere.
  package var socketOfUser: String?
  /// The file that counts quick deaths; nil: nothing starts the box again by itself.
  package var starts: String?
  /// Whether a rejected system event ends the process: for tests.
  package var isStrict = false

  /// The defaults.
  package init() {}
}
