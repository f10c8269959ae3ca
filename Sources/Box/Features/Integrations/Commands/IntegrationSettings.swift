// Settings of the MPD server and of discovery, with their typed values. Pure; any thread.

import Platform

extension SettingTable {
  static let integrations: [SettingDeclaration] = [
    SettingDeclaration(
      .mpdListen, "mpd.listen", .address, or: Choice("off", "no clients of MPD"), default: "off",
      "Where the box listens for clients of MPD, such as mpc, Home Assistant and apps on a phone. 127.0.0.1:6600 is for "
        + "programs on the box itself, 0.0.0.0:6600 or [::]:6600 for all that reach it."),
    SettingDeclaration(
      .mpdPassword, "mpd.password", .text(longest: 64), or: Choice("none", "clients need none"),
      default: "none",
      isSecret: true,
      "The password that clients of MPD have to give. It is sent over the network unencrypted."),
    SettingDeclaration(
      .mpdGuests, "mpd.guests",
      .choice([
        Choice("nothing"), Choice("read", "see what plays and browse the music"),
        Choice("add", "add to the queue, too"),
      ]), default: "nothing",
      "What clients of MPD may do that have not given mpd.password. Without a password all of them may do everything."
    ),
    SettingDeclaration(
      .discoveryEnabled, "discovery.enabled", .onOff, default: "off",
      "Announces the box in the local network, by Avahi, while its MPD server listens beyond the box itself, so that clients find it."
    ),
    SettingDeclaration(
      .discoveryName, "discovery.name", .text(longest: 63), or: Choice("host", "the machine's name"),
      default: "host", "What the box is called there."),
  ]
}

extension Settings {
  /// The address that the MPD server listens on; nil: no MPD server.
  package var mpdAddress: NetworkAddress? { text(.mpdListen).flatMap { NetworkAddress($0) } }
  /// The password of MPD clients; nil: none.
  package var mpdPassword: String? { text(.mpdPassword) }
  /// The permissions of MPD clients that have not given the password: `nothing`, `read` or `add`.
  package var mpdGuests: String { word(.mpdGuests) }
  /// Whether the box is announced in the local network.
  package var isDiscoveryEnabled: Bool { isOn(.discoveryEnabled) }
  /// The announced name; nil: the host name.
  package var discoveryName: String? { text(.discoveryName) }
}
