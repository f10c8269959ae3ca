// Interface to the process of an integration, which sends its commands on the control socket. Control thread only;
// never blocks.

import Integrations

/// Running process of an integration. Releasing this object ends the process. Class-bound for Embedded Swift.
package protocol IntegrationProcess: AnyObject {
  /// Process ID, which is also the ID of its process group.
  var number: Int32 { get }
  /// Descriptor for the scheduler; readable once the process has exited.
  var descriptor: Int32 { get }
  /// Descriptor for the scheduler; readable when the process has sent a report.
  var voice: Int32 { get }
  /// Bytes received since the last call; empty if there are none; nil at end of file.
  func heard() -> [UInt8]?
  /// Exit reason in a few words; nil while the process runs.
  func ending() -> String?
}

extension IntegrationChild: IntegrationProcess {}
