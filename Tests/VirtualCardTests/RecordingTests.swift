// What goes into a card through libasound comes back from its recording.
import CALSA
import Foundation
import Testing
import VirtualCardSupport

@Suite struct RecordingTests {
  @Test(arguments: [false, true]) func playsBitExactly(mapped: Bool) throws {
    let card = try VirtualCard()
    let client = try Client(card, mapped: mapped, buffer: 4800)
    client.fill()
    #expect(snd_pcm_start(client.pcm) == 0)
    while client.next < 14_400 {
      #expect(snd_pcm_wait(client.pcm, 1000) == 1)
      client.fill()
    }
    #expect(snd_pcm_nonblock(client.pcm, 0) == 0)
    #expect(snd_pcm_drain(client.pcm) == 0)
    #expect(client.state == SND_PCM_STATE_SETUP)
    #expect(card.recording(as: UInt32.self) == (0..<client.next).map(Client.code))
    #expect(card.counters.drains == 1 && card.counters.xruns == 0 && card.counters.empty_frames == 0)
  }
}
