// Combines several descriptors into one, readable when any of them is (nested epoll(7)). One thread.

import CLinux

/// A set of descriptors with a single descriptor for an event loop, whose members may change.
@usableFromInline package struct DescriptorSet: ~Copyable {
  private let epoll: FileDescriptor

  /// Creates an empty set.
  package init() throws(SystemError) {
    let raw = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard raw >= 0 else { throw SystemError("epoll_create1") }
    epoll = FileDescriptor(owning: raw)
  }

  /// Readable while a member is. Do not close it.
  package var raw: Int32 { epoll.raw }

  /// Adds a descriptor. Its owner must remove it before closing it.
  package func add(_ descriptor: Int32) throws(SystemError) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
    guard epoll_ctl(epoll.raw, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
      throw SystemError("epoll_ctl")
    }
  }

  /// Removes a descriptor; no effect if it is no member.
  package func remove(_ descriptor: Int32) {
    _ = epoll_ctl(epoll.raw, EPOLL_CTL_DEL, descriptor, nil)
  }

  /// Waits until a member is readable.
  ///
  /// - Returns: False after the timeout.
  package func wait(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: epoll.raw, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) != 0
  }
}
