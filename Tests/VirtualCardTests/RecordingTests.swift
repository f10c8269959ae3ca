// The recording equals what was written through libasound. Test threads.
import CALSA
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct RecordingTests {
  @Test(arguments: [false, true]) func playsBitExactly(mapped: Bool) throws {
    let card = try VirtualCard()
    let client = try Client(card, mapped: mapped, buffer: 9600)
    client.fill()
    #expect(snd_pcm_start(client.pcm) == 0)
    client.play(9600)
    #expect(snd_pcm_nonblock(client.pcm, 0) == 0)
    #expect(snd_pcm_drain(client.pcm) == 0)
    #expect(client.state == SND_PCM_STATE_SETUP)
    #expect(card.recording(as: UInt32.self) == (0..<client.next).map { Client.code($0) })
    #expect(card.counters.drains == 1 && card.counters.xruns == 0 && card.counters.empty_frames == 0)
  }

  @Test(arguments: VirtualCardSettings.Format.usual, [1, 2])
  func recordsEveryFormat(format: VirtualCardSettings.Format, channels: Int) throws {
    let card = try VirtualCard()
    let alsaFormat = snd_pcm_format_value(format.rawValue)
    let client = try Client(
      card, format: alsaFormat, channels: UInt32(channels), rate: 44_100, buffer: 1024, nonblocking: false)
    let width = Int(snd_pcm_format_physical_width(alsaFormat)) / 8
    let bytes = (0..<1000 * channels * width).map { UInt8(truncatingIfNeeded: $0 * 31 + $0 / 255) }
    #expect(snd_pcm_writei(client.pcm, bytes, 1000) == 1000)
    #expect(snd_pcm_drain(client.pcm) == 0)
    #expect([UInt8](card.recordedBytes) == bytes)
    #expect(card.recordedFrames == 1000)
  }

  @Test func reopeningContinuesTheRecording() throws {
    let card = try VirtualCard()
    for _ in 0..<2 {
      let client = try Client(card, buffer: 960, nonblocking: false)
      client.write(480)
      #expect(snd_pcm_drain(client.pcm) == 0)
    }
    let once = (0..<480).map { Client.code($0) }
    #expect(card.recording(as: UInt32.self) == once + once)
    #expect(card.counters.opens == 2 && card.counters.closes == 2 && card.counters.starts == 2)
  }

  @Test func dropLosesWhatIsQueuedAndTheLogKnowsWhen() throws {
    let card = try VirtualCard()
    let client = try Client(card)
    client.fill()
    let before = VirtualCard.now
    snd_pcm_start(client.pcm)
    client.sleep(milliseconds: 30)
    let middle = VirtualCard.now
    client.sleep(milliseconds: 20)
    #expect(snd_pcm_drop(client.pcm) == 0)
    let heard = card.recording(as: UInt32.self)
    #expect(heard == (0..<heard.count).map { Client.code($0) })
    #expect(heard.count >= 2400 && heard.count < client.next)
    let frame = try #require(card.frame(at: middle))
    #expect(frame >= 1440 && frame <= heard.count - 960)
    let time = try #require(card.time(ofFrame: frame))
    #expect(middle - time < 30_000)
    #expect(try #require(card.time(ofFrame: 0)) >= before)
    #expect(card.frame(at: before) == nil && card.frame(at: VirtualCard.now) == heard.count)
    #expect(card.log.map(\.mark) == [.start, .stop])
  }

  @Test(arguments: [false, true]) func pastTheEnd(silent: Bool) throws {
    var settings = VirtualCardSettings()
    settings.silentPastEnd = silent
    let card = try VirtualCard(settings)
    let client = try Client(card, buffer: 960, stopAtBoundary: true)
    client.fill()
    snd_pcm_start(client.pcm)
    client.sleep(milliseconds: 60)
    #expect(snd_pcm_avail(client.pcm) > 2 * 960)
    #expect(client.state == SND_PCM_STATE_RUNNING)
    snd_pcm_drop(client.pcm)
    let heard = card.recording(as: UInt32.self)
    #expect(heard.count > 2 * 960)
    #expect(heard == (0..<heard.count).map { $0 < 960 || !silent ? Client.code($0 % 960) : 0 })
    #expect(card.counters.empty_frames == UInt64(heard.count - 960))
  }

  @Test func pauseHoldsThePosition() throws {
    let card = try VirtualCard()
    let client = try Client(card, buffer: 4800)
    client.fill()
    snd_pcm_start(client.pcm)
    client.sleep(milliseconds: 20)
    #expect(snd_pcm_pause(client.pcm, 1) == 0)
    let held = snd_pcm_avail(client.pcm)
    client.sleep(milliseconds: 30)
    #expect(snd_pcm_avail(client.pcm) == held)
    #expect(snd_pcm_pause(client.pcm, 0) == 0)
    snd_pcm_nonblock(client.pcm, 0)
    #expect(snd_pcm_drain(client.pcm) == 0)
    #expect(card.recording(as: UInt32.self) == (0..<client.next).map { Client.code($0) })
  }
}
