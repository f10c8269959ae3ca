// Several descriptors behind one that is readable when any of them is (epoll(7) nests). One thread.

import CLinux

/// A set of descriptors that can itself be waited for: the way to offer one descriptor to an event loop
/// while what lies behind it changes.
@usableFromInline package struct DescriptorSet: ~Copyable {
  private let epoll: FileDescriptor

  /// An empty set.
  package init() throws(SystemError) {
    let raw = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard raw >= 0 else { throw SystemError("epoll_create1") }
    epoll = FileDescriptor(owning: raw)
  }

  /// Readable while a member is. Never close it.
  package var raw: Int32 { epoll.raw }

  /// Adds a descriptor, which its owner removes before closing it.
  package func add(_ descriptor: Int32) throws(SystemError) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
    guard epoll_ctl(epoll.raw, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
      throw SystemError("epoll_ctl")
    }
  }

  /// Removes a descriptor; nothing happens if it is no member.
  package func remove(_ descriptor: Int32) {
    _ = epoll_ctl(epoll.raw, EPOLL_CTL_DEL, descriptor, nil)
  }

  /// Waits until a member is readable or the time is over. False when the time was over.
  package func wait(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: epoll.raw, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) != 0
  }
}
