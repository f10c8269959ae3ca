// Groups of the operating system (group(5)). Any thread; a name service on the network may take time.

import CLinux

/// Looks up groups.
package enum GroupDatabase {
  /// Why a group cannot be used, phrased to follow the setting's name; nil if it exists.
  package static func refusal(of name: String) -> String? {
    clinux_group(name) >= 0
      ? nil : "cannot be '" + name + "': there is no such group; 'getent group' lists them"
  }
}
