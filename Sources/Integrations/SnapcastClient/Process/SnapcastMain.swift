// The hidden subcommand `room`: a Snapcast client that connects to a server, enters its sandbox and passes decoded,
// timestamped sound to the worker. A separate process, so that no other part of the engine parses data from the
// network.

import CLinux
import Platform
import PlaybackModel

/// Receives from one server over one connection. The parent restarts the process when it ends.
///
/// Descriptors: 0 /dev/null, 1 the pipe to the worker, 2 the engine's stderr (until the sandbox is entered).
package enum SnapcastMain {
  /// Connection timeout in milliseconds.
  private static let timeout: Int32 = 5000
  /// Maximum number of a host name's addresses to try.
  private static let maxAddresses = 4
  /// Size of the receive buffer in bytes.
  private static let maxMessageBytes = 1 << 16
  /// Limit of unsent request bytes; a server that does not read them is dropped.
  private static let unsent: Int32 = 1 << 16

  /// Runs the client until the connection ends. The error is the last block on the pipe.
  ///
  /// - Parameter arguments: The arguments after `swiftlet room`: the protocol, the server's address, the parent's
  ///   process id.
  /// - Returns: The exit status.
  package static func run(_ arguments: [String]) -> Int32 {
    let isSnapcast = arguments.count == 3 && arguments[0] == "snapcast"
    let server = isSnapcast ? ServerPlace(arguments[1], usualPort: LiveOrigin.snapcastPort) : nil
    let parent = server.flatMap { _ in Int32(arguments[2]) }
    if let status = HelperMain.refusal(of: "room", parent: parent) { return status }
    guard let place = server else { return HelperMain.usage }
    do throws(SnapcastFailure) {
      try receive(from: place)
      return 0
    } catch {
      _ = write(TimedBlock.farewell(error.sentence))
      return 1
    }
  }

  private static func receive(from place: ServerPlace) throws(SnapcastFailure) {
    var hash = StableHash()
    hash.add(MachineName.number)
    hash.add(MachineName.own)
    let identity = SnapcastIdentity(
      host: MachineName.own, id: "swiftlet-" + String(hash.value, radix: 16))
    let codecs = SnapcastCodecs()
    try connect(to: place)
    try SnapcastSandbox.enter()
    var session = SnapcastSession(identity, codecs, at: MonotonicClock.now())
    var buffer = [UInt8](repeating: 0, count: Self.maxMessageBytes)
    while true {
      try session.pass(MonotonicClock.now())
      try send(session.takeOutgoing())
      let count = try read(&buffer, until: session.deadline)
      guard count > 0 else { continue }
      try session.take(buffer[..<count], at: MonotonicClock.now())
      // The worker has closed the pipe.
      guard write(session.takeSound()) else { return }
    }
  }

  /// Connects to the first address of a server that accepts.
  private static func connect(to place: ServerPlace) throws(SnapcastFailure) {
    guard case .name(let name, let port) = place else {
      if case .address(let address) = place { try connect(to: address) }
      return
    }
    try SnapcastSandbox.enterForLookUp()
    var failure = SnapcastFailure("\(name) has no address")
    do throws(NameFailure) {
      for address in try NameLookUp.addresses(of: name, port: port).prefix(maxAddresses) {
        do throws(SnapcastFailure) {
          return try connect(to: address)
        } catch {
          failure = error
        }
      }
    } catch {
      failure = SnapcastFailure("the name \(name) leads nowhere: \(error.reason)")
    }
    throw failure
  }

  /// Connects to an address and moves the socket to the descriptor reserved for it.
  private static func connect(to address: NetworkAddress) throws(SnapcastFailure) {
    do throws(SystemError) {
      let stream = try NetworkStream.connect(to: address, milliseconds: timeout, unsent: unsent)
      let raw = stream.release()
      guard raw == SnapcastSandbox.server || dup2(raw, SnapcastSandbox.server) == SnapcastSandbox.server
      else {
        throw SystemError("dup2")
      }
    } catch {
      throw SnapcastFailure("there is no Snapcast server at \(address.text): \(error.reason)")
    }
  }

  /// Reads available bytes, waiting until a deadline. Returns the count; 0 for none.
  private static func read(_ buffer: inout [UInt8], until deadline: UInt64) throws(SnapcastFailure) -> Int {
    let now = MonotonicClock.now()
    var entry = pollfd(fd: SnapcastSandbox.server, events: Int16(POLLIN), revents: 0)
    let wait = deadline > now ? (deadline - now) / 1_000_000 + 1 : 0
    guard poll(&entry, 1, Int32(clamping: wait)) > 0 else { return 0 }
    let count = recv(SnapcastSandbox.server, &buffer, Self.maxMessageBytes, CLINUX_MSG_DONTWAIT)
    if count > 0 { return count }
    if count == 0 { throw SnapcastFailure("its server has ended the connection") }
    let code = clinux_errno()
    if code == EAGAIN || code == EINTR { return 0 }
    throw SnapcastFailure("its server is lost: \(SystemError("recv", code: code).reason)")
  }

  private static func send(_ bytes: [UInt8]) throws(SnapcastFailure) {
    guard !bytes.isEmpty else { return }
    // A time request must be sent whole and at once, or its answer is useless.
    let count = CLinux.send(
      SnapcastSandbox.server, bytes, bytes.count, CLINUX_MSG_DONTWAIT | CLINUX_MSG_NOSIGNAL)
    guard count == bytes.count else { throw SnapcastFailure("its server takes no questions") }
  }

  /// Writes bytes to the worker. Returns false if the worker has closed the pipe.
  private static func write(_ bytes: [UInt8]) -> Bool {
    var done = 0
    return bytes.withUnsafeBytes { bytes in
      while done < bytes.count {
        let count = CLinux.write(1, bytes.baseAddress! + done, bytes.count - done)
        if count < 0, clinux_errno() == EINTR { continue }
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
  }
}
