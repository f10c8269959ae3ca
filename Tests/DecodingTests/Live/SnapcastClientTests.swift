// Real Snapcast receivers and workers against loopback servers: a missing one, hostile ones, and a
// working one. Test threads.

import CLinux
import Foundation
import Platform
import PlaybackModel
import RealTimeSupport
import Testing

@testable import Decoding
@testable import SnapcastClient

@Suite(.realTime) struct SnapcastClientTests {
  private static let rate = SampleRate(48_000)

  /// A server that answers time requests and sends fixed messages first. One thread.
  private final class LoopbackServer {
    private let listener: NetworkListener
    private var channel: (any ByteChannel)?
    private var received: [UInt8] = []
    private let greeting: [UInt8]
    var address: String { "127.0.0.1:\(listener.port)" }

    init(_ greeting: [UInt8]) throws {
      listener = try NetworkListener(#require(NetworkAddress("127.0.0.1:0")))
      self.greeting = greeting
    }

    static func message(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
      let kind = SnapcastMessage.Kind(rawValue: type) ?? .hello
      return SnapcastMessage.bytes(kind, id: 0, at: Int64(MonotonicClock.now()), body: body)
    }

    /// Sends bytes. Returns false if no client is connected.
    func say(_ bytes: [UInt8]) -> Bool { channel?.write(bytes) == bytes.count }

    /// Accepts a client and handles its messages.
    func turn() throws {
      if channel == nil, let new = try listener.accept() {
        channel = new
        _ = new.write(greeting)
      }
      guard let more = try? channel?.read(atMost: 65_536) else { return }
      received += more
      while received.count >= 26 {
        let size = Int(received[...].word32(22))
        guard received.count >= 26 + size else { return }
        if received[0] == 4 {
          var body: [UInt8] = []
          SnapcastTime.append(Int64(MonotonicClock.now()) - SnapcastTime.read(received[...], 6), to: &body)
          _ = say(Self.message(4, body))
        }
        received.removeFirst(26 + size)
      }
    }
  }

  /// The first event of a source, while its server runs.
  private func event(of worker: LiveWorker, _ turn: () throws -> Void) throws -> LiveWorker.Event? {
    for _ in 0..<1500 {
      if let event = worker.takeEvents().first { return event }
      try turn()
      var entry = pollfd(fd: worker.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, 10)
    }
    return nil
  }

  private func worker(_ address: String) throws -> LiveWorker {
    try LiveWorker(LiveSource(.snapcast(address)), rate: Self.rate, executable: Workbench.executable)
  }

  @Test func aServerThatIsNotThereIsNamed() throws {
    // A port that was free a moment ago.
    let address = try LoopbackServer([]).address
    let event = try event(of: try worker(address)) {}
    #expect(event == .failed("there is no Snapcast server at \(address): Connection refused"))
  }

  @Test(
    arguments: [
      ([UInt8](repeating: 0xFF, count: 100), "sends a message (type 65535)"),
      (LoopbackServer.message(3, [2, 0, 0, 0, 0x5B, 0x5D]), "Server Settings that cannot be read"),
      (LoopbackServer.message(2, [UInt8](repeating: 0, count: 20)), "sound before its Codec Header"),
    ] as [([UInt8], String)])
  func aHostileServerIsItsSourcesEnd(greeting: [UInt8], part: String) throws {
    let server = try LoopbackServer(greeting)
    guard case .failed(let sentence)? = try event(of: try worker(server.address), server.turn) else {
      Issue.record("it goes on")
      return
    }
    #expect(sentence.contains(part), "\(sentence)")
  }

  @Test func whatAServerPlaysIsReady() throws {
    var head = Array("RIFF....WAVEfmt ".utf8)
    head.append(littleEndian: 16, bytes: 4)
    for word in [UInt16(1), 2] { head.append(littleEndian: UInt64(word), bytes: 2) }
    for word in [UInt32(48_000), 192_000] { head.append(littleEndian: UInt64(word), bytes: 4) }
    for word in [UInt16(4), 16] { head.append(littleEndian: UInt64(word), bytes: 2) }
    var codec: [UInt8] = [3, 0, 0, 0] + Array("pcm".utf8)
    codec.append(littleEndian: UInt64(head.count), bytes: 4)
    let server = try LoopbackServer(LoopbackServer.message(1, codec + head))
    let worker = try worker(server.address)
    let event = try event(of: worker) {
      try server.turn()
      var body: [UInt8] = []
      SnapcastTime.append(Int64(MonotonicClock.now()), to: &body)
      body.append(littleEndian: 1920, bytes: 4)
      _ = server.say(LoopbackServer.message(2, body + [UInt8](repeating: 0x22, count: 1920)))
    }
    #expect(event == .ready(index: 0))
    // Silence, up to the scheduled place of the first frame.
    #expect(worker.ring.reader.writtenIndex == 12_000 && worker.figures.delay > 800_000)
    worker.terminate()
  }
}
