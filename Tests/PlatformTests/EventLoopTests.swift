// The limits of the event loop. Test threads.

import Platform
import RealTimeSupport
import Testing

@Suite(.realTime) struct EventLoopTests {
  @Test func oneDescriptorTooManyIsRefusedAndTheOthersGoOn() throws {
    let loop = try EventLoop()
    let wakes = try (0...EventLoop.maximumSources).map { _ in try WakeUp() }
    var woken = 0
    var tokens: [EventLoop.Token] = []
    for wake in wakes.dropLast() {
      tokens.append(
        try loop.add(readable: wake.descriptor) {
          wake.clear()
          woken += 1
        })
    }
    let last = wakes[EventLoop.maximumSources]
    let error = #expect(throws: SystemError.self) { try loop.add(readable: last.descriptor) {} }
    #expect(error?.description.contains("event loop") == true)
    wakes[0].signal()
    loop.turn(waits: true)
    #expect(woken == 1)
    loop.remove(tokens[5])
    _ = try loop.add(readable: last.descriptor) { woken += 10 }
    last.signal()
    loop.turn(waits: true)
    #expect(woken == 11)
  }

  @Test func aTimeBeyondAllClocksNeverComes() throws {
    let loop = try EventLoop()
    var fired = false
    _ = loop.after(.max) { fired = true }
    _ = loop.after(.max - 1_000_000) { fired = true }
    loop.turn(waits: false)
    #expect(!fired)
  }
}
