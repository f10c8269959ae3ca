// Whoever has started the box and wants to know that it is up, well, or going. Control thread; never waits.

/// The service manager's ear. Class-bound, for Embedded Swift.
package protocol ServiceManager: AnyObject {
  /// How often it wants a sign of life, in nanoseconds; nil where it wants none.
  var watchdogInterval: UInt64? { get }
  /// The box takes commands.
  func notifyReady()
  /// A sign of life.
  func notifyAlive()
  /// The box ends because it was asked to.
  func notifyStopping()
}
