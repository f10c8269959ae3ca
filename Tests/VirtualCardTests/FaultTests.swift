// A client's view of card faults, and its recovery. Test threads.
import CALSA
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct FaultTests {
  /// A client that plays, with two seconds queued.
  private func playing(_ card: VirtualCard, mapped: Bool = false) throws -> Client {
    let client = try Client(card, mapped: mapped, buffer: 96_000, availMin: 90_000)
    client.fill()
    #expect(snd_pcm_start(client.pcm) == 0)
    client.sleep(milliseconds: 10)
    return client
  }

  /// Injects a fault while a thread polls for room that is more than a second away. Returns the result of
  /// poll, and its delay after the injection.
  private func waiting(_ client: Client, _ inject: () -> UInt64) -> (result: Int32, delay: UInt64) {
    let waiter = Waiter(client.pcm)
    client.sleep(milliseconds: 20)
    let moment = inject()
    let (result, time) = waiter.wait()
    return (result, time > moment ? time - moment : 0)
  }

  @Test(arguments: [false, true]) func xrun(mapped: Bool) throws {
    let card = try VirtualCard()
    let client = try playing(card, mapped: mapped)
    let (result, delay) = waiting(client) { card.injectXrun() }
    #expect(result == -EPIPE && delay < 1_000_000_000)
    #expect(client.state == SND_PCM_STATE_XRUN)
    #expect(snd_pcm_avail(client.pcm) == -Int(EPIPE))
    var delayed = 0
    #expect(snd_pcm_delay(client.pcm, &delayed) == -EPIPE)
    let heard = card.recordedFrames
    #expect(snd_pcm_prepare(client.pcm) == 0)
    client.next = heard
    client.fill()
    #expect(snd_pcm_start(client.pcm) == 0)
    client.sleep(milliseconds: 20)
    snd_pcm_drop(client.pcm)
    let recording = card.recording(as: UInt32.self)
    #expect(recording.count >= heard + 960)
    #expect(recording == (0..<recording.count).map { Client.code($0) })
    #expect(card.counters.xruns == 1)
  }

  @Test func starvingIsAnXrunAtTheLastFrame() throws {
    let card = try VirtualCard()
    let client = try Client(card)
    client.write(960)
    snd_pcm_start(client.pcm)
    client.sleep(milliseconds: 40)
    #expect(client.write(480) == -Int(EPIPE))
    #expect(client.state == SND_PCM_STATE_XRUN)
    #expect(card.recording(as: UInt32.self) == (0..<960).map { Client.code($0) })
    let log = card.log
    #expect(log.map(\.mark) == [.start, .xrun])
    #expect(abs(Int(log[1].time - log[0].time) - 20_000_000) < 100_000)
  }

  @Test func suspendAndResume() throws {
    let card = try VirtualCard()
    let client = try playing(card)
    let (result, _) = waiting(client) { card.suspend() }
    #expect(result == -ESTRPIPE)
    #expect(client.state == SND_PCM_STATE_SUSPENDED)
    #expect(snd_pcm_avail(client.pcm) == -Int(ESTRPIPE))
    #expect(client.write(1) == -Int(ESTRPIPE))
    #expect(snd_pcm_resume(client.pcm) == 0)
    #expect(client.state == SND_PCM_STATE_RUNNING)
    let heard = card.recordedFrames
    client.sleep(milliseconds: 20)
    client.fill()
    snd_pcm_drop(client.pcm)
    let recording = card.recording(as: UInt32.self)
    #expect(recording.count >= heard + 960)
    #expect(recording == (0..<recording.count).map { Client.code($0) })
  }

  @Test func suspendWithoutResume() throws {
    var settings = VirtualCardSettings()
    settings.canResume = false
    let card = try VirtualCard(settings)
    let client = try playing(card)
    card.suspend()
    #expect(snd_pcm_avail(client.pcm) == -Int(ESTRPIPE))
    snd_pcm_resume(client.pcm)
    #expect(client.state == SND_PCM_STATE_SUSPENDED)
    #expect(snd_pcm_prepare(client.pcm) == 0)
    #expect(snd_pcm_avail(client.pcm) == client.buffer)
  }

  @Test(arguments: [false, true]) func lossAndReturn(mapped: Bool) throws {
    let card = try VirtualCard()
    var lost: UInt64 = 0
    do {
      let client = try playing(card, mapped: mapped)
      let (result, delay) = waiting(client) {
        lost = card.unplug()
        return lost
      }
      #expect(result == -ENODEV && delay < 1_000_000_000)
      #expect(client.state == SND_PCM_STATE_DISCONNECTED)
      var delayed = 0
      #expect(snd_pcm_avail(client.pcm) == -Int(ENODEV))
      #expect(snd_pcm_avail_update(client.pcm) == -Int(ENODEV))
      #expect(snd_pcm_rewindable(client.pcm) == -Int(ENODEV))
      #expect(snd_pcm_delay(client.pcm, &delayed) == -ENODEV)
      #expect(snd_pcm_prepare(client.pcm) == -ENODEV)
      #expect(snd_pcm_drop(client.pcm) == -ENODEV)
      #expect(client.write(1) == -Int(ENODEV))
      card.plugIn()
      #expect(snd_pcm_prepare(client.pcm) == -ENODEV, "the old handle stays dead")
      card.unplug()
    }
    #expect(Client.open(card).1 == -ENODEV)
    card.plugIn()
    let heard = card.recordedFrames
    #expect(heard == card.frame(at: lost))
    let client = try Client(card, mapped: mapped)
    client.next = heard
    client.fill()
    snd_pcm_start(client.pcm)
    client.sleep(milliseconds: 20)
    snd_pcm_drop(client.pcm)
    let recording = card.recording(as: UInt32.self)
    #expect(recording.count >= heard + 960)
    #expect(recording == (0..<recording.count).map { Client.code($0) })
    #expect(card.counters.losses == 1 && card.counters.refused_opens == 1)
  }

  @Test func lossCountsFromItsMomentHoweverLateItIsSeen() throws {
    let card = try VirtualCard()
    let client = try playing(card)
    let lost = card.unplug()
    client.sleep(milliseconds: 50)
    #expect(snd_pcm_avail(client.pcm) == -Int(ENODEV))
    #expect(abs(try #require(card.frame(at: lost)) - card.recordedFrames) <= 1)
    #expect(VirtualCard.now - (card.log.last?.time ?? 0) > 45_000_000)
  }

  @Test func oneClientOnly() throws {
    let card = try VirtualCard()
    do {
      let client = try Client(card)
      #expect(Client.open(card).1 == -EBUSY)
      client.fill()
    }
    card.refuseOpening(with: EBUSY)
    #expect(Client.open(card).1 == -EBUSY)
    card.refuseOpening(with: 0)
    _ = try Client(card)
    #expect(card.counters.refused_opens == 2)
  }

  @Test func stallAndSpeed() throws {
    let card = try VirtualCard()
    let client = try playing(card)
    let stalled = card.stall(milliseconds: 40)
    client.sleep(milliseconds: 10)
    let first = snd_pcm_avail(client.pcm)
    client.sleep(milliseconds: 10)
    #expect(VirtualCard.now - stalled > 40_000_000 || snd_pcm_avail(client.pcm) == first)
    #expect(card.frame(at: stalled) == card.frame(at: stalled + 39_000_000))
    client.sleep(milliseconds: 30)
    #expect(snd_pcm_avail(client.pcm) > first)
    let slowed = card.setSpeed(0.5)
    client.sleep(milliseconds: 40)
    snd_pcm_drop(client.pcm)
    let slow = try #require(card.frame(at: slowed + 20_000_000)) - (try #require(card.frame(at: slowed)))
    #expect(abs(slow - 480) <= 1)
  }

  @Test func availIsLimited() throws {
    let card = try VirtualCard()
    let client = try playing(card)
    card.limitAvail(to: 100)
    client.sleep(milliseconds: 10)
    #expect(snd_pcm_avail(client.pcm) == 100)
    card.limitAvail(to: nil)
    #expect(snd_pcm_avail(client.pcm) >= 960)
  }
}
