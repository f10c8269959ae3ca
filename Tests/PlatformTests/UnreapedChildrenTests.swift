// Children that cannot die at once. Test threads.

import Foundation
import Testing

@testable import Platform

@Suite struct UnreapedChildrenTests {
  @Test func whatHasDiedSinceIsReaped() throws {
    let children = UnreapedChildren()
    var pid: pid_t = 0
    var arguments = [strdup("sleep"), strdup("60"), nil]
    defer { for argument in arguments { free(argument) } }
    #expect(posix_spawn(&pid, "/bin/sleep", nil, nil, &arguments, nil) == 0)
    children.add(pid)
    children.reap()
    #expect(children.count == 1)
    kill(pid, SIGKILL)
    var information = siginfo_t()
    waitid(P_PID, id_t(pid), &information, Int32(WEXITED) | Int32(WNOWAIT))
    children.reap()
    #expect(children.count == 0)
    #expect(kill(pid, 0) == -1, "it is no zombie any more")
  }

  @Test(arguments: [("12 (a) D 1", true), ("12 (a) S) D 1 2", true), ("12 (D) S 1", false), ("", false)])
  func uninterruptibleSleepIsRead(stat: String, isHeld: Bool) {
    #expect(ChildProcess.isUninterruptible(stat) == isHeld)
  }
}
