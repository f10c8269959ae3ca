// Commands that do not fit into the audio thread's command ring. Test threads.

import Platform
import PlaybackModel
import RealtimeAudio
import Testing

@testable import Player

@Suite struct CommandSenderTests {
  /// While the card hangs, the audio thread dequeues no commands; afterwards it receives them in order.
  @Test func commandsThatHaveToWaitAreNotOvertaken() throws {
    let device = VirtualOutput()
    let link = AudioLink(wakeAudio: {}, notifyControl: {})
    let loop = AudioLoop(device: device, link: link)
    let sender = CommandSender(link, OfflineScheduler(over: try EventLoop()))
    for _ in 0..<300 { sender.send(.setVolume(.unity, ramp: .zero)) }
    sender.flush()
    _ = loop.turn()
    let last = sender.send(.setVolume(.silence, ramp: .zero))
    for _ in 0..<5 {
      sender.flush()
      _ = loop.turn()
    }
    var applied: [UInt32] = []
    while let report = link.takeReport() {
      if case .mixer(let stamped) = report, case .applied(let id) = stamped.event { applied.append(id) }
    }
    #expect(applied == Array(1...301) && last == 301, "\(applied)")
  }
}
