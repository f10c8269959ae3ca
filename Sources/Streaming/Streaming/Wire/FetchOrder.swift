// The message from the engine to a fetcher, as bytes: not as words of a command line, which all users of a machine can read. Written on
// the control thread, read in the fetcher.

import Platform

/// What a fetcher is to do. Any later message has it make a lost connection again at once.
struct FetchOrder: Equatable {
  var url: String
  var proxy = ""
  var connectMilliseconds: UInt32 = 0
  var stallMilliseconds: UInt32 = 0
  var giveUpMilliseconds: UInt32 = 0
  var allowsPrivateRedirects = false
  var leastReach: AddressReach?

  /// A later message.
  static let retryNow: [UInt8] = [1]

  /// Bytes of a proxy's URL at most.
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

  /// Nil unless it is one, exactly.
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
