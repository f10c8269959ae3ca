// Validates names of ALSA devices. Pure; any thread.
//
// ALSA accepts more than names: `{ type file … }` defines a device inline, and `file:'|PROGRAM',raw` starts a
// program. Only names that the system's ALSA configuration defines are accepted, with plain arguments.

/// The validated name of an ALSA device: `default`, `hw:1,0`, `plughw:CARD=Device,DEV=0`. It cannot define a
/// device, name a file or start a program.
package struct DeviceName: Hashable, Sendable {
  /// The most bytes of a name.
  package static let maxBytes = 200

  /// A description of valid names, for error messages.
  package static let wanted = "an ALSA device that 'aplay -L' lists, such as hw:1 or plughw:CARD=Device,DEV=0"

  /// Definitions in ALSA's default configuration whose arguments name files or sockets to open.
  private static let refused = ["file", "tee", "shm"]
  /// The only definition with colons in its arguments, which are Bluetooth addresses.
  private static let withAddresses = "bluealsa"

  /// The name to pass to `snd_pcm_open`.
  package let text: String

  /// Validates `NAME` or `NAME:ARGUMENT,…`, where an argument is `VALUE` or `KEY=VALUE`; nil for anything
  /// else.
  ///
  /// A name consists of letters, digits, `_` and `-`; a value may also contain dots. Quotes, braces, slashes
  /// and blanks are rejected, because they are syntax of ALSA. The definitions `file`, `tee` and `shm` are
  /// rejected, also as values that another definition may open.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, bytes.count <= Self.maxBytes else { return nil }
    let end = bytes.firstIndex(of: 0x3A) ?? bytes.count
    guard Self.isName(bytes[..<end]) else { return nil }
    if end < bytes.count {
      let hasAddresses = Self.withAddresses.utf8.elementsEqual(bytes[..<end])
      for argument in bytes[(end + 1)...].split(separator: 0x2C, omittingEmptySubsequences: false) {
        guard Self.isArgument(argument, hasAddresses: hasAddresses) else { return nil }
      }
    }
    self.text = text
  }

  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, first != 0x2D, !isRefused(bytes) else { return false }
    return bytes.allSatisfy { isPlain($0) }
  }

  private static func isArgument(_ bytes: ArraySlice<UInt8>, hasAddresses: Bool) -> Bool {
    var value = bytes
    if let equals = bytes.firstIndex(of: 0x3D) {
      guard isName(bytes[..<equals]) else { return false }
      value = bytes[(equals + 1)...]
    }
    guard !value.isEmpty, !isRefused(value) else { return false }
    return value.allSatisfy { isPlain($0) || $0 == 0x2E || (hasAddresses && $0 == 0x3A) }
  }

  private static func isRefused(_ bytes: ArraySlice<UInt8>) -> Bool {
    refused.contains { $0.utf8.elementsEqual(bytes) }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
    default: false
    }
  }
}

/// The name of an output: an ALSA device, `null`, or `snapcast:ADDRESS` with a numeric address.
package enum OutputName {
  /// The prefix of Snapcast servers.
  package static let snapcast = "snapcast:"
  /// The port used by snapserver's examples.
  package static let snapcastPort: UInt16 = 4953

  /// A description of valid names, for error messages.
  package static let wanted = DeviceName.wanted + "; snapcast:ADDRESS with a numeric address; or null"

  /// The address of a Snapcast server; nil for any other output, or if the address is not numeric.
  package static func snapcastServer(_ text: String) -> NetworkAddress? {
    guard text.utf8.starts(with: snapcast.utf8) else { return nil }
    let place = String(decoding: text.utf8.dropFirst(snapcast.utf8.count), as: UTF8.self)
    guard let address = NetworkAddress(place, usualPort: snapcastPort), address.port > 0 else { return nil }
    return address
  }

  /// Whether a text is a valid output name, whether or not the output exists.
  package static func isValid(_ text: String) -> Bool {
    text.utf8.starts(with: snapcast.utf8) ? snapcastServer(text) != nil : DeviceName(text) != nil
  }
}
