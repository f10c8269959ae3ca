// Bytes to and from somebody at the other end: a socket, a serial line, or what stands for one. Control thread only;
// never waits.

import CLinux

/// A stream of bytes in both directions, closed when it goes. Class-bound, for Embedded Swift.
package protocol ByteChannel: AnyObject {
  /// For a scheduler: readable when `read` has something to say.
  var readable: Int32 { get }
  /// For a scheduler: writable when `write` takes more. Not the same number as `readable`.
  var writable: Int32 { get }
  /// Whether nobody can get an answer any more at the other end: it is closed both ways.
  var isHungUp: Bool { get }
  /// The group of the process at the other end when it connected (SO_PEERCRED in unix(7), getpgid(2)), or its own number where it has
  /// ended since; nil where there is no such process.
  var peerGroup: Int32? { get }
  /// At most `limit` of the bytes that have come in: empty at the end, nil if there are none now.
  func read(atMost limit: Int) throws(SystemError) -> [UInt8]?
  /// Takes as many bytes as fit; answers how many, nil if the other end is gone.
  func write(_ bytes: [UInt8]) -> Int?
}

extension ByteChannel {
  package var peerGroup: Int32? { nil }
}

/// Accepts channels. It listens for as long as it is kept.
package protocol ChannelListener: AnyObject {
  /// For a scheduler: readable when somebody connects.
  var descriptor: Int32 { get }
  /// The next connection; nil when there is none. An error where there is one that cannot be had.
  func accept() throws(SystemError) -> (any ByteChannel)?
}

/// A channel on a descriptor that does not block.
package final class DescriptorChannel: ByteChannel {
  private let descriptor: FileDescriptor
  /// The descriptor again, because epoll knows each only once.
  private let again: FileDescriptor

  /// Takes over a descriptor that does not block. Fails when the process has no descriptors left.
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
