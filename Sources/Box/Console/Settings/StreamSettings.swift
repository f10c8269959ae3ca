// Settings of streams, with their typed values. Pure; any thread.

import PlaybackModel

extension SettingTable {
  static let streams: [SettingDeclaration] = [
    SettingDeclaration(
      .streamSpool, "stream.spool", .integer(262_144...67_108_864, unit: "B"), default: "4194304",
      applies: .forNewStreams,
      "How many bytes of each stream are kept in memory, rounded up to a power of two: 4 MiB are four minutes at 128 kbit/s."
    ),
    SettingDeclaration(
      .streamStart, "stream.start", .decimal(0.3...2.5, decimals: 1, unit: "s"), default: "1.5",
      applies: .forNewStreams,
      "How much sound of a stream is decoded before it is heard, also after it ran dry."),
    SettingDeclaration(
      .streamTimeout, "stream.timeout", .integer(1...120, unit: "s"), default: "10", applies: .forNewStreams,
      "How long a server may take to accept a connection, and how long it may send nothing before the connection is made "
        + "again."),
    SettingDeclaration(
      .streamProxy, "stream.proxy", .proxy, or: Choice("off", "none"), default: "off",
      applies: .forNewStreams,
      isSecret: true,
      "The proxy for streams, such as http://proxy:3128 or socks5h://name:word@proxy."),
    SettingDeclaration(
      .streamPrivateRedirects, "stream.private-redirects", .onOff, default: "off", applies: .forNewStreams,
      "Whether a server on the internet may lead a stream to an address of the box or of its network, by a redirection, a station's list "
        + "or a playlist of segments. The address that you name may always be one of these. With stream.proxy the proxy decides."
    ),
  ]
}

extension Settings {
  /// Bytes kept in memory for each stream.
  package var streamSpool: Int { whole(.streamSpool) }
  /// The amount of audio to decode before a stream starts.
  package var streamStart: Seconds { seconds(.streamStart) }
  /// The timeout for connecting, and for receiving no data.
  package var streamTimeout: Seconds { Seconds(Double(whole(.streamTimeout))) }
  /// Whether redirects may lead to addresses of the box or of its local network.
  package var streamPrivateRedirects: Bool { isOn(.streamPrivateRedirects) }
  /// The proxy for streams; nil: none.
  package var streamProxy: String? { text(.streamProxy) }
}
