// Interface to the kernel's mount table. Control thread only; never blocks.

import Platform

/// The host's mount points. Class-bound for Embedded Swift.
package protocol MountPoints: AnyObject {
  /// Descriptor for `DescriptorWatch(changing:)`; signals every mount and unmount.
  var descriptor: Int32 { get }
  /// Mount points strictly below a folder.
  func points(beneath folder: String) -> [String]
}

extension MountTable: MountPoints {}
