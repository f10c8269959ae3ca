// What is mounted where, and that it changes. Control thread only; never waits.

import Platform

/// The machine's mounts. Class-bound, for Embedded Swift.
package protocol MountPoints: AnyObject {
  /// For `DescriptorWatch(changing:)`: tells of every mount and unmount.
  var descriptor: Int32 { get }
  /// The mount points strictly beneath a folder.
  func points(beneath folder: String) -> [String]
}

extension MountTable: MountPoints {}
