// The card's reported properties: type and flags, constraints, delay and wakeups. Test threads.
import CALSA
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct PropertyTests {
  @Test(arguments: [false, true]) func typeAndFlags(batch: Bool) throws {
    var settings = VirtualCardSettings()
    settings.isBatch = batch
    let client = try Client(try VirtualCard(settings))
    #expect(snd_pcm_type(client.pcm) == SND_PCM_TYPE_IOPLUG)
    #expect(client.infoSaysBatch == batch)
    #expect(!client.infoSaysNoWakeup)
  }

  @Test func constraintsHold() throws {
    var settings = VirtualCardSettings()
    settings.formats = [.s16]
    settings.channels = 2...2
    settings.rates = 48_000...48_000
    settings.bufferFrames = 4096...8192
    let card = try VirtualCard(settings)
    #expect(try Client(card, buffer: 480).buffer == 4096)
    #expect(try Client(card, buffer: 19_200).buffer == 8192)
    var pcm = Client.open(card).0
    var params: OpaquePointer?
    snd_pcm_hw_params_malloc(&params)
    snd_pcm_hw_params_any(pcm, params)
    #expect(snd_pcm_hw_params_test_format(pcm, params, SND_PCM_FORMAT_S32_LE) != 0)
    #expect(snd_pcm_hw_params_test_rate(pcm, params, 44_100, 0) != 0)
    #expect(snd_pcm_hw_params_test_channels(pcm, params, 1) != 0)
    snd_pcm_hw_params_free(params)
    snd_pcm_close(pcm)
    pcm = nil
  }

  @Test(arguments: [1, 480]) func availMovesInSteps(granularity: Int) throws {
    var settings = VirtualCardSettings()
    settings.granularity = granularity
    let client = try Client(try VirtualCard(settings), buffer: 96_000)
    client.fill()
    snd_pcm_start(client.pcm)
    var steps: [Int] = []
    var last = snd_pcm_avail(client.pcm)
    while steps.count < 5 && last < 90_000 {
      let now = snd_pcm_avail(client.pcm)
      if now != last { steps.append(now - last) }
      last = now
    }
    #expect(steps.count == 5 && steps.allSatisfy { $0 > 0 && $0 % granularity == 0 })
    if granularity == 1 { #expect(steps.contains { $0 < 48 }) }
  }

  @Test func delayCountsTheFIFO() throws {
    var settings = VirtualCardSettings()
    settings.fifo = 1000
    let client = try Client(try VirtualCard(settings))
    client.fill()
    snd_pcm_start(client.pcm)
    var delay = 0
    let before = snd_pcm_avail(client.pcm)
    #expect(snd_pcm_delay(client.pcm, &delay) == 0)
    let after = snd_pcm_avail(client.pcm)
    #expect(delay <= client.buffer - before + 1000 && delay >= client.buffer - after + 1000)
  }

  @Test func pollHonoursAvailMin() throws {
    let card = try VirtualCard()
    let client = try Client(card, buffer: 48_000, availMin: 12_000)
    client.fill()
    snd_pcm_start(client.pcm)
    var descriptor = pollfd()
    #expect(snd_pcm_poll_descriptors(client.pcm, &descriptor, 1) == 1)
    for _ in 0..<3 {
      #expect(poll(&descriptor, 1, 2000) == 1)
      var events: UInt16 = 0
      snd_pcm_poll_descriptors_revents(client.pcm, &descriptor, 1, &events)
      #expect(events == UInt16(POLLOUT))
      #expect(client.fill() >= 12_000)
    }
    #expect(card.counters.xruns == 0 && card.counters.poll_wakeups == 3)
  }
}
