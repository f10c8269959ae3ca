// The request from the engine to a fetcher, and its wire format. Sent by socket rather than on the command
// line, which all users can read. Written on the control thread, parsed in the fetcher.

import Platform

/// The URL and parameters of a stream. Any later message requests an immediate reconnect.
struct FetchOrder: Equatable {
  var url: String
  var proxy = ""
  var connectMilliseconds: UInt32 = 0
  var stallMilliseconds: UInt32 = 0
  var giveUpMilliseconds: UInt32 = 0
  var allowsPrivateRedirects = false
  var leastReach: AddressReach?

  /// A message that requests an immediate reconnect.
  static let retryNow: [UInt8] = [1]

  /// Maximum length of a proxy's URL in bytes.
  static let maxProxy = 512

  init(_ request: StreamRequest) {
    url = StreamRequest.fetchable(request.url)
    proxy = request.proxy
    connectMilliseconds = request.connectMilliseconds
    stallMilliseconds = request.stallMilliseconds
    giveUpMilliseconds = request.giveUpMilliseconds
    allowsPrivateRedirects = request.allowsPrivateRedirects
    leastReach = request.leastReach
  }

  var bytes: [UInt8] {
    var packet = PacketWriter()
    for number in [connectMilliseconds, stallMilliseconds, giveUpMilliseconds] { packet.put(number) }
    packet.put(allowsPrivateRedirects)
    packet.put(leastReach?.rawValue ?? UInt32.max)
    packet.put(proxy, size: Self.maxProxy)
    packet.put(url, size: url.utf8.count)
    return packet.bytes
  }

  /// Parses a request; nil unless `bytes` are exactly one valid request.
  init?(_ bytes: ArraySlice<UInt8>) {
    var packet = PacketReader(bytes)
    guard let connect = packet.uint32(), let stall = packet.uint32(), let giveUp = packet.uint32(),
      let allowsAll = packet.bool(), let least = packet.uint32(),
      let proxy = packet.text(size: Self.maxProxy),
      let url = packet.restAsText(limit: StreamRequest.maxURLLength), !url.utf8.isEmpty
    else { return nil }
    allowsPrivateRedirects = allowsAll
    leastReach = AddressReach(rawValue: least)
    self.url = url
    self.proxy = proxy
    (connectMilliseconds, stallMilliseconds, giveUpMilliseconds) = (connect, stall, giveUp)
  }
}
