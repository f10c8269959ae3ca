// Initialization segments (#EXT-X-MAP) as the playlist advances, changes maps, or is left for the live edge.
// The fetcher's loop in this process, with a transport that answers at once.

import MediaFormats
import Platform
import Testing
import TransportPlugin

@testable import Streaming

@Suite(.serialized) struct SegmentMapTests {
  private static let movie = MoviePieces(usualSize: 5, hasSizes: true)
  /// Initialization segments of AAC-LC, stereo, at 44100 Hz and at 48000 Hz.
  private static let maps = ["/1.mp4": movie.start(), "/2.mp4": movie.start(configuration: [0x11, 0x90])]
  private static let frame: [UInt8] = [1, 2, 3, 4, 5]

  /// The sockets of the engine and the worker to a fetcher.
  private final class Ends {
    var engine: MessageSocket?
    let worker: MessageSocket
    init(engine: consuming MessageSocket, worker: consuming MessageSocket) {
      self.engine = consume engine
      self.worker = worker
    }
  }

  /// Runs a fetcher on playlists, each of which answers one request.
  ///
  /// - Parameters:
  ///   - end: The last path that is requested.
  ///   - renewal: The map during whose first load the worker seeks to the live edge.
  /// - Returns: The requests except those for playlists, and the rate fields of the ADTS headers in the
  ///   spool.
  private func fetch(_ playlists: [String], end: String, renewal: String = "") throws -> (
    asked: [String], rates: [UInt8]
  ) {
    var request = StreamRequest("http://a/s.m3u8")
    (request.stallMilliseconds, request.giveUpMilliseconds) = (4000, 4000)
    let order = FetchOrder(request)
    let layout = SpoolLayout(capacity: 64 << 10)
    let file = try SharedMemory.createFile(name: "spool", size: layout.totalBytes)
    let spool = SpoolWriter(try SharedMemory(mapping: file, size: layout.totalBytes), layout)
    let heard = try SharedMemory(mapping: file, size: layout.totalBytes)
    let toEngine = try MessageSocket.Pair()
    let toWorker = try MessageSocket.Pair()
    let link = FetcherLink(spool, engine: toEngine.mine, worker: toWorker.mine)
    let ends = Ends(engine: toEngine.theirs, worker: toWorker.theirs)
    let server = InstantServer { path, number in
      if path == end {
        ends.engine = nil
        return nil
      }
      if path == renewal, number == 0 {
        ends.worker.send(SpoolMessage.renew.bytes)
        return nil
      }
      if path == "/s.m3u8" { return Array(playlists[number + 1].utf8) }
      return Self.maps[path] ?? Self.movie.piece([Self.frame])
    }
    try server.serve { transport in
      let transfer = try Transfer(transport, order, server)
      try transfer.begin(order.url, from: 0)
      try SegmentLoop(order, link, transfer, Array(playlists[0].utf8)).run()
    }
    let bytes = UnsafeRawBufferPointer(
      start: heard.base + SpoolLayout.headerBytes, count: Int(link.spool.end))
    let size = ADTSHeader.size + Self.frame.count
    #expect(bytes.count % size == 0)
    return (
      server.asked.filter { $0 != "/s.m3u8" },
      stride(from: 0, to: bytes.count, by: size).map { bytes[$0 + 2] >> 2 & 15 }
    )
  }

  /// A station's playlist with some segments, all using the same map.
  private func playlist(_ numbers: Range<Int>, map: String) -> String {
    "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n#EXT-X-MAP:URI=\"\(map)\"\n"
      + numbers.map { "#EXTINF:1,\n\($0).m4s\n" }.joined()
  }

  /// A restarted encoder uses another map at the same place of the playlist.
  @Test func anotherMapIsLoadedWhereItStandsAtTheSamePlace() throws {
    let (asked, rates) = try fetch(
      [playlist(0..<2, map: "1.mp4"), playlist(2..<4, map: "2.mp4")], end: "/3.m4s")
    #expect(asked == ["/1.mp4", "/0.m4s", "/1.m4s", "/2.mp4", "/2.m4s", "/3.m4s"])
    #expect(rates == [4, 4, 3])
  }

  /// The same map is recognized although its position in the playlist's text changes.
  @Test func theSameMapIsLoadedOnce() throws {
    let (asked, rates) = try fetch(
      [playlist(8..<10, map: "1.mp4"), playlist(10..<12, map: "http://a/1.mp4")], end: "/11.m4s")
    #expect(asked == ["/1.mp4", "/8.m4s", "/9.m4s", "/10.m4s", "/11.m4s"])
    #expect(rates == [4, 4, 4])
  }

  /// A map whose load was interrupted by a seek to the live edge is loaded again.
  @Test func aMapThatWasLeftIsLoadedAgain() throws {
    let new = playlist(2..<4, map: "2.mp4")
    let (asked, rates) = try fetch(
      [playlist(0..<2, map: "1.mp4"), new, new], end: "/3.m4s", renewal: "/2.mp4")
    #expect(asked == ["/1.mp4", "/0.m4s", "/1.m4s", "/2.mp4", "/2.mp4", "/2.m4s", "/3.m4s"])
    #expect(rates == [4, 4, 3])
  }
}

/// A server and its transport: each request is answered completely at once, or never.
private final class InstantServer: TransferReceiver {
  private nonisolated(unsafe) static var current: InstantServer?

  private(set) var asked: [String] = []
  private let answer: (String, Int) -> [UInt8]?
  private var host = swiftlet_transport_host()
  private var pending: String?

  /// - Parameter answer: Returns the response for a path and the number of its earlier requests; nil for no
  ///   response.
  init(_ answer: @escaping (String, Int) -> [UInt8]?) { self.answer = answer }

  // The protocol requires a receiver; the loop replaces it.
  func answered(_ answer: SourceAnswer) -> Bool { false }
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool { false }

  private func run() -> Int32 {
    guard let path = pending else { return 0 }
    pending = nil
    let number = asked.count { $0 == path }
    asked.append(path)
    guard let bytes = answer(path, number) else { return 0 }
    var answer = swiftlet_transport_answer()
    (answer.status, answer.length) = (200, Int64(bytes.count))
    guard host.answered(host.context, &answer) == 0,
      host.body(host.context, bytes, bytes.count) == bytes.count
    else { return SWIFTLET_TRANSPORT_ERROR_REFUSED.rawValue }
    return Int32(SWIFTLET_TRANSPORT_DONE.rawValue)
  }

  /// Calls `use` with the transport. Only one server may run at a time.
  func serve(_ use: (Transport) throws -> Void) throws {
    Self.current = self
    defer { Self.current = nil }
    var table = swiftlet_transport()
    (table.abi, table.size) = (1, UInt32(MemoryLayout<swiftlet_transport>.size))
    table.open = { _, host, transfer in
      guard let host, let transfer, let server = InstantServer.current else { return -9 }
      server.host = host.pointee
      transfer.pointee = OpaquePointer(Unmanaged.passUnretained(server).toOpaque())
      return 0
    }
    table.begin = { _, url, _, _ in
      InstantServer.current?.pending = url.map {
        String(String(cString: $0).dropFirst("http://a".utf8.count))
      }
      return 0
    }
    table.run = { _, _, _, _ in InstantServer.current?.run() ?? -9 }
    table.resume = { _ in 0 }
    table.stop = { _ in InstantServer.current?.pending = nil }
    table.last_error = { _ in nil }
    table.location = { _ in nil }
    try withUnsafePointer(to: table) { try use(Transport(table: $0)) }
  }
}
