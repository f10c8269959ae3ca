// Children that cannot be killed at once. Test threads.

import CLinux
import Foundation
import Testing

@testable import Platform

@Suite struct UnreapedChildrenTests {
  @Test func whatHasDiedSinceIsReaped() throws {
    let children = UnreapedChildren()
    // Like an event loop, before the first child: there is no reaper thread.
    var entry = pollfd(fd: try #require(children.watchDeaths()), events: Int16(POLLIN), revents: 0)
    var pid: pid_t = 0
    var arguments = [strdup("sleep"), strdup("60"), nil]
    defer { for argument in arguments { free(argument) } }
    #expect(posix_spawn(&pid, "/bin/sleep", nil, nil, &arguments, nil) == 0)
    let watch = clinux_pidfd_open(pid)
    try #require(watch >= 0)
    children.add(pid, FileDescriptor(owning: watch), on: "/a")
    children.reap()
    #expect(children.count == 1 && !children.refuses("/a"))
    #expect(children.count(on: "/a") == 0, "it may die yet, as any does that was killed a moment ago")
    #expect(poll(&entry, 1, 0) == 0)
    kill(pid, SIGKILL)
    #expect(poll(&entry, 1, 20_000) == 1)
    children.reap()
    #expect(children.count == 0)
    #expect(poll(&entry, 1, 0) == 0)
    #expect(kill(pid, 0) == -1, "it is no zombie any more")
  }

  /// Without an event loop that watches the deaths, and without starting another child.
  @Test func whatDiesLaterIsNoZombie() throws {
    let children = UnreapedChildren()
    for _ in 0..<3 {
      var pids: [pid_t] = []
      var arguments = [strdup("sleep"), strdup("60"), nil]
      defer { for argument in arguments { free(argument) } }
      for _ in 0..<3 {
        var pid: pid_t = 0
        #expect(posix_spawn(&pid, "/bin/sleep", nil, nil, &arguments, nil) == 0)
        let watch = clinux_pidfd_open(pid)
        try #require(watch >= 0)
        children.add(pid, FileDescriptor(owning: watch), on: nil)
        pids.append(pid)
      }
      for pid in pids { kill(pid, SIGKILL) }
      let deadline = MonotonicClock.now() + 20_000_000_000
      while children.count > 0, MonotonicClock.now() < deadline { sched_yield() }
      #expect(children.count == 0)
      for pid in pids { #expect(kill(pid, 0) == -1) }
    }
  }

  @Test(arguments: [("12 (a) D 1", true), ("12 (a) S) D 1 2", true), ("12 (D) S 1", false), ("", false)])
  func uninterruptibleSleepIsRead(stat: String, isHeld: Bool) {
    #expect(ChildProcess.isUninterruptible(stat) == isHeld)
  }
}
