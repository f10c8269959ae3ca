// Looks up the sound card that a device's name mentions. Reads /proc only, which never blocks on storage; any thread.

import CLinux

/// Sound cards known to the kernel.
package enum SoundCard {
  /// The number or id of the card in a device's name, as in `hw:1,0` or `plughw:CARD=Device`; nil if it names none.
  package static func named(in device: String) -> String? {
    // The argument of `plug` is another device, such as `plug:dmix`.
    guard OutputName.snapcastServer(device) == nil, !device.utf8.starts(with: "plug:".utf8),
      let colon = device.utf8.firstIndex(of: 0x3A)
    else { return nil }
    let parts = device.utf8[device.utf8.index(after: colon)...].split(separator: 0x2C)
    for (index, part) in parts.enumerated() {
      if part.starts(with: "CARD=".utf8) { return String(decoding: Array(part.dropFirst(5)), as: UTF8.self) }
      // Only the first argument without a key is the card; addresses of Bluetooth devices have colons.
      if index == 0, !part.contains(0x3D), !part.contains(0x3A) {
        return String(decoding: Array(part), as: UTF8.self)
      }
    }
    return nil
  }

  /// Why a device cannot be opened now, as a sentence without its full stop; nil if its card exists or it names none.
  ///
  /// - Parameters:
  ///   - device: Name of an ALSA device.
  ///   - folder: The kernel's list of cards.
  package static func problem(of device: String, in folder: String = "/proc/asound") -> String? {
    guard let card = named(in: device) else { return nil }
    let isNumber = card.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    let entry = folder + "/" + (isNumber ? "card" : "") + card
    guard entry.withPath({ access($0, F_OK) }) != 0 else { return nil }
    return "there is no sound card '" + card + "' now; 'aplay -l' lists them"
  }
}
