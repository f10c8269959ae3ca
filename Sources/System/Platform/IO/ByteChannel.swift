// The interface of a bidirectional byte stream: a socket, a serial line or a test double. Control thread
// only; never blocks.

import CLinux

/// A bidirectional byte stream, closed on release. Class-bound, for Embedded Swift.
package protocol ByteChannel: AnyObject {
  /// For a scheduler: readable when `read` returns data or the end of the stream.
  var readable: Int32 { get }
  /// For a scheduler: writable when `write` accepts bytes. A different number than `readable`.
  var writable: Int32 { get }
  /// Whether the connection is closed in both directions.
  var isHungUp: Bool { get }
  /// The process group of the peer when it connected (SO_PEERCRED in unix(7), getpgid(2)), or its process id
  /// if it has exited since; nil if unknown.
  var peerGroup: Int32? { get }
  /// Reads at most `limit` bytes: empty at the end of the stream, nil if there are none now.
  func read(atMost limit: Int) throws(SystemError) -> [UInt8]?
  /// Writes as many bytes as fit.
  ///
  /// - Returns: The number of bytes written; nil if the peer is gone.
  func write(_ bytes: [UInt8]) -> Int?
}

extension ByteChannel {
  package var peerGroup: Int32? { nil }
}

/// Accepts connections for as long as it exists.
package protocol ChannelListener: AnyObject {
  /// For a scheduler: readable when a client connects.
  var descriptor: Int32 { get }
  /// The next connection; nil if there is none.
  ///
  /// - Throws: If a connection could not be accepted.
  func accept() throws(SystemError) -> (any ByteChannel)?
}

/// A byte channel on a non-blocking descriptor.
package final class DescriptorChannel: ByteChannel {
  private let descriptor: FileDescriptor
  /// A duplicate of the descriptor, because epoll accepts each descriptor only once.
  private let again: FileDescriptor

  /// Takes ownership of a non-blocking descriptor.
  ///
  /// - Throws: If the process has no descriptors left.
  package init(_ descriptor: consuming FileDescriptor) throws(SystemError) {
    again = try descriptor.duplicate()
    self.descriptor = descriptor
  }

  package var readable: Int32 { descriptor.raw }
  package var writable: Int32 { again.raw }

  package var isHungUp: Bool {
    var entry = pollfd(fd: descriptor.raw, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  package var peerGroup: Int32? {
    let process = clinux_peer_process(descriptor.raw)
    guard process > 0 else { return nil }
    let group = getpgid(process)
    return group > 0 ? group : process
  }

  package func read(atMost limit: Int) throws(SystemError) -> [UInt8]? { try descriptor.read(atMost: limit) }

  package func write(_ bytes: [UInt8]) -> Int? { bytes.withUnsafeBytes { descriptor.writeSome($0) } }
}
