// What the card says of itself: its type and flags, its constraints, its delay and its wake-ups.
import CALSA
import Foundation
import Testing
import VirtualCardSupport

@Suite struct PropertyTests {
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
    let client = try Client(try VirtualCard(settings))
    client.fill()
    snd_pcm_start(client.pcm)
    let end = VirtualCard.now + 100_000_000
    var values: [Int] = []
    while VirtualCard.now < end { values.append(snd_pcm_avail(client.pcm)) }
    let steps = zip(values, values.dropFirst()).map { $1 - $0 }.filter { $0 != 0 }
    #expect(steps.allSatisfy { $0 > 0 && $0 % granularity == 0 })
    #expect(steps.count > (granularity == 1 ? 500 : 5))
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
    let client = try Client(card, availMin: 12_000)
    client.fill()
    snd_pcm_start(client.pcm)
    var descriptor = pollfd()
    #expect(snd_pcm_poll_descriptors(client.pcm, &descriptor, 1) == 1)
    var wakeups = 0
    let end = VirtualCard.now + 1_000_000_000
    while VirtualCard.now < end {
      let left = (end - min(end, VirtualCard.now)) / 1_000_000
      guard poll(&descriptor, 1, Int32(left) + 1) == 1 else { continue }
      wakeups += 1
      var events: UInt16 = 0
      snd_pcm_poll_descriptors_revents(client.pcm, &descriptor, 1, &events)
      guard events & UInt16(POLLOUT) != 0 else { continue }
      #expect(client.fill() >= 12_000)
    }
    #expect(wakeups >= 3 && wakeups <= 4)
    #expect(card.counters.xruns == 0 && card.counters.poll_wakeups == UInt64(wakeups))
  }
}
