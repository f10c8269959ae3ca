// The settle loop, which runs dependent steps in bounded batches. Test threads.

import Platform
import PlaybackModel
import RealtimeAudio
import Testing

@testable import Player

@Suite struct SettleLoopTests {
  private let scheduler: OfflineScheduler
  private let sender: CommandSender
  private let loop: SettleLoop

  init() throws {
    scheduler = OfflineScheduler(over: try EventLoop())
    sender = CommandSender(AudioLink(wakeAudio: {}, notifyControl: {}), scheduler)
    loop = SettleLoop(scheduler, sender)
  }

  @Test func itStopsWhereNothingIsLeft() {
    var left = 3
    let ran = loop.run {
      left -= 1
      return left > 0
    }
    #expect(ran && left == 0)
    #expect(scheduler.nextDeadline == nil)
  }

  @Test func whatIsTooMuchForOneTurnIsContinuedInTheNext() {
    var steps = 0
    loop.onDue = { [unowned(unsafe) loop] in
      _ = loop.run {
        steps += 1
        return steps < 30
      }
    }
    loop.onDue()
    #expect(steps == SettleLoop.stepLimit)
    while scheduler.fire() {}
    #expect(steps == 30)
  }

  @Test func aStepThatLeadsBackHereRunsOnce() {
    var inner: Bool?
    _ = loop.run {
      inner = loop.run { false }
      return false
    }
    #expect(inner == false)
    #expect(loop.run { false }, "it may run again")
  }

  /// If the audio thread dequeues nothing, no further steps run; it gets 20 ms.
  @Test func itWaitsForAnAudioThreadThatIsHeldUp() {
    while !sender.isOverloaded { sender.send(.setMono(true)) }
    var steps = 0
    _ = loop.run {
      steps += 1
      return true
    }
    #expect(steps == 0)
    #expect(scheduler.nextDeadline == 20_000_000)
  }
}
