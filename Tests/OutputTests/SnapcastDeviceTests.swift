// The audio feed of a Snapcast server, with a loopback server that reads on request. Test threads.
import CLinux
import Foundation
import Outputs
import Platform
import PlaybackModel
import RealtimeAudio
import RealTimeSupport
import Testing

@Suite(.realTime, .serialized) struct SnapcastDeviceTests {
  /// Accepts a connection and records what it reads.
  private final class Server {
    let listener: NetworkListener
    private(set) var received: [UInt8] = []
    private var connection: (any ByteChannel)?

    init(_ address: String = "127.0.0.1:0") throws {
      listener = try NetworkListener(#require(NetworkAddress(address)))
    }

    var name: String { "snapcast:127.0.0.1:\(listener.port)" }

    func accept() throws {
      var entry = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
      #expect(poll(&entry, 1, 5000) > 0)
      connection = try listener.accept()
    }

    /// Reads pending bytes, up to `count`. Returns false once no more arrive for a moment.
    func read(atMost count: Int = 65536) throws -> Bool {
      let connection = try #require(connection)
      var entry = pollfd(fd: connection.readable, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 200) > 0 else { return false }
      guard let bytes = try connection.read(atMost: count), !bytes.isEmpty else { return false }
      received += bytes
      return true
    }

    func hangUp() { connection = nil }

    /// Sets an odd segment size, so that the sender's buffer may end in the middle of a frame.
    func cutsThroughFrames() {
      var length: Int32 = 1001
      let size = socklen_t(MemoryLayout<Int32>.size)
      #expect(setsockopt(listener.descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &length, size) == 0)
    }
  }

  private func options(rate: Int = 48000, format: SampleFormat? = nil) -> OutputOptions {
    var options = OutputOptions(rate: SampleRate(rate))
    options.format = format
    return options
  }

  private func fault(_ body: () throws(PCMFault) -> Void) -> PCMFault? {
    do throws(PCMFault) { try body() } catch { return error }
    return nil
  }

  @Test(arguments: [
    "snapcast:", "snapcast:nas.local", "snapcast:10.0.0.300", "snapcast:127.0.0.1:",
    "snapcast:127.0.0.1:99999",
  ])
  func aNameThatIsNoAddressIsRefusedForGood(name: String) throws {
    let error = #expect(throws: OutputError.self) { try SnapcastDevice(name: name, options: options()) }
    #expect(error?.subject == name && error?.isUnavailable == false)
    #expect(error?.reason.contains("snapcast:192.168.1.20") == true)
  }

  @Test func aServerThatIsNotThereMayComeLater() throws {
    let port = try Server().listener.port
    let error = #expect(throws: OutputError.self) {
      try SnapcastDevice(name: "snapcast:127.0.0.1:\(port)", options: options())
    }
    #expect(error?.isUnavailable == true)
    #expect(error?.reason.contains("source = tcp://0.0.0.0:\(port)?name=Box&sampleformat=48000:16:2") == true)
  }

  @Test func anyRateWillDoBesideTheServersUsualOne() throws {
    let server = try Server()
    var any = options(rate: 44100)
    any.allowsOtherRates = true
    #expect(try SnapcastDevice(name: server.name, options: any).rate.hertz == 48000)
    #expect(try SnapcastDevice(name: server.name, options: options(rate: 44100)).rate.hertz == 44100)
    let error = #expect(throws: OutputError.self) {
      try SnapcastDevice(name: server.name, options: options(format: .float32))
    }
    #expect(error?.reason.contains("S16 and S32, not FLOAT") == true)
  }

  /// The server reads in steps that split frames, and more slowly than the device writes.
  @Test(arguments: [SampleFormat.s16, .s32], [true, false])
  func eachByteArrivesOnce(format: SampleFormat, heedsRoom: Bool) throws {
    let server = try Server()
    server.cutsThroughFrames()
    let device = try SnapcastDevice(name: server.name, options: options(format: format))
    try server.accept()
    try device.prepare()
    try device.start()
    let frameBytes = 2 * format.bytes
    let sent = (0..<frameBytes * 200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var written = 0
    var wasFull = false
    while written < 200_000 {
      let room = try device.available()
      #expect(room <= device.bufferFrames)
      // Writing more than the device's room leads to partial writes of the connection.
      let count = min(heedsRoom ? min(room, 1777) : device.bufferFrames, 200_000 - written)
      let taken = try sent.withUnsafeBytes {
        try device.write(#require($0.baseAddress) + written * frameBytes, frames: count)
      }
      #expect(taken <= count)
      written += taken
      if taken == 0 {
        wasFull = true
        #expect(try server.read(atMost: 1009))
      }
    }
    while server.received.count < sent.count, try server.read() {
      // The end of a frame is sent with the next call.
      if server.received.count > sent.count - frameBytes {
        _ = try sent.withUnsafeBytes { try device.write(#require($0.baseAddress), frames: 0) }
      }
    }
    #expect(wasFull)
    #expect(server.received == sent)
  }

  @Test func aServerThatHangsUpIsLostAndFoundAgain() throws {
    let server = try Server()
    let device = try SnapcastDevice(name: server.name, options: options())
    try server.accept()
    try device.prepare()
    server.hangUp()
    #expect(fault { () throws(PCMFault) in while true { _ = try device.available() } } == .lost)
    #expect(!device.reopen(), "not at once")
    var isBack = false
    for _ in 0..<500 where !isBack {
      device.wait(10_000_000)
      isBack = device.reopen()
    }
    #expect(isBack)
    try server.accept()
    #expect(fault { () throws(PCMFault) in try device.prepare() } == nil)
  }
}
