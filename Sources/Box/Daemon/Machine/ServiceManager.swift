// Interface to the service manager: readiness, watchdog and shutdown notifications. Control thread; never blocks.

/// Notifications to the service manager. Class-bound for Embedded Swift.
package protocol ServiceManager: AnyObject {
  /// Interval between watchdog pings, in nanoseconds; nil if none are expected.
  var watchdogInterval: UInt64? { get }
  /// Reports that the daemon accepts commands.
  func notifyReady()
  /// Sends a watchdog ping.
  func notifyAlive()
  /// Reports that an orderly shutdown has begun.
  func notifyStopping()
}
