// An integration as a machine has started it: a process of its own, which gives commands on the control socket. Control thread only;
// never waits.

import Integrations

/// An integration at work. When this object goes, its process goes. Class-bound, for Embedded Swift.
package protocol IntegrationProcess: AnyObject {
  /// The number of its process, and of the group of all that it starts.
  var number: Int32 { get }
  /// For a scheduler: readable when it has ended.
  var descriptor: Int32 { get }
  /// For a scheduler: readable when it has said something.
  var voice: Int32 { get }
  /// What it has said since the last time, empty for nothing; nil: it says nothing more.
  func heard() -> [UInt8]?
  /// Why it has ended, in a few words; nil while it runs.
  func ending() -> String?
}

extension IntegrationChild: IntegrationProcess {}
