// A TCP listener for integrations, and numeric network addresses. Nothing is resolved. One thread; never
// blocks.

import CLinux

/// A numeric IP address with a port.
package struct NetworkAddress: Hashable, Sendable {
  /// The numeric address, without brackets.
  package let host: String
  /// The port; 0 means any free port.
  package let port: UInt16

  /// Parses `127.0.0.1:6600` or `[::]:6600`; nil if it is invalid.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 64, let colon = bytes.lastIndex(of: 0x3A) else { return nil }
    let digits = String(decoding: bytes[(colon + 1)...], as: UTF8.self)
    guard digits.utf8.first.map({ $0 >= 0x30 && $0 <= 0x39 }) == true, let port = UInt16(digits) else {
      return nil
    }
    var name = bytes[..<colon]
    if name.first == 0x5B {
      guard name.last == 0x5D else { return nil }
      name = name.dropFirst().dropLast()
    } else if name.contains(0x3A) {
      return nil
    }
    let host = String(decoding: name, as: UTF8.self)
    guard !host.utf8.isEmpty, clinux_is_address(host) != 0 else { return nil }
    self.host = host
    self.port = port
  }

  /// Parses an address with or without a port, by default `usualPort`. Without a port, an IPv6 address needs
  /// no brackets.
  package init?(_ text: String, usualPort: UInt16) {
    let port = ":" + String(usualPort)
    guard
      let address = NetworkAddress(text) ?? NetworkAddress(text + port)
        ?? NetworkAddress("[" + text + "]" + port)
    else { return nil }
    self = address
  }

  /// The text that `init(_:)` parses.
  package var text: String { (host.utf8.contains(0x3A) ? "[" + host + "]" : host) + ":" + String(port) }

  /// Whether it is an IPv4 address.
  package var isIPv4: Bool { !host.utf8.contains(0x3A) }

  /// Whether it is a loopback address.
  package var isLoopback: Bool { host.utf8.starts(with: "127.".utf8) || host == "::1" }
}

/// Accepts TCP connections.
package final class NetworkListener: ChannelListener {
  private let socket: FileDescriptor

  /// Listens at an address.
  ///
  /// - Throws: An error that names the address.
  package init(_ address: NetworkAddress) throws(SystemError) {
    let fd = clinux_listen_network(address.host, address.port, 16)
    guard fd >= 0 else { throw SystemError("listen", on: address.text) }
    socket = FileDescriptor(owning: fd)
  }

  package var descriptor: Int32 { socket.raw }

  /// The port that it listens on.
  package var port: UInt16 { clinux_port_of(socket.raw) }

  package func accept() throws(SystemError) -> (any ByteChannel)? {
    guard let connection = try socket.accept() else { return nil }
    // Answers are written as a whole, so send them without delay.
    _ = clinux_send_at_once(connection.raw)
    return try DescriptorChannel(connection)
  }
}
