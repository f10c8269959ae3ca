// The deep buffer: what is queued is taken back and written anew while it plays.
import CALSA
import Foundation
import Testing
import VirtualCardSupport

@Suite(.serialized) struct RewindTests {
  /// Read/write access, mmap access, and mmap access watched by the card's thread.
  enum Access: CaseIterable { case write, mapped, mappedAndWatched }

  @Test(arguments: Access.allCases) func nothingIsLostOrRepeated(access: Access) throws {
    var settings = VirtualCardSettings()
    settings.recordsInThread = access == .mappedAndWatched
    let card = try VirtualCard(settings)
    let client = try Client(card, mapped: access != .write, availMin: 12_000)
    client.fill()
    snd_pcm_start(client.pcm)
    var commands: [UInt64] = []
    for trial in 0..<20 {
      client.sleep(milliseconds: 11 + trial * 7 % 23)
      commands.append(VirtualCard.now)
      #expect(client.rewrite(margin: 480) > 480)
      client.fill()
    }
    snd_pcm_nonblock(client.pcm, 0)
    snd_pcm_drain(client.pcm)

    let heard = card.recording(as: UInt32.self)
    #expect(heard.map { Int($0 & 0xff_ffff) } == Array(1...client.next))
    let versions = heard.map { Int($0 >> 24) }
    #expect(versions == versions.sorted() && versions.last == 20)
    for (trial, command) in commands.enumerated() {
      let change = try #require(versions.firstIndex(of: trial + 1))
      let time = try #require(card.time(ofFrame: change))
      #expect(time > command && time - command <= 20_000_000)
    }
    let counters = card.counters
    #expect(counters.xruns == 0 && counters.late_rewinds == 0)
    if access == .write { #expect(counters.rewinds == 20) }
  }

  @Test func rewindingIsHonest() throws {
    let card = try VirtualCard()
    let client = try Client(card)
    client.fill()
    #expect(snd_pcm_rewindable(client.pcm) == client.buffer)
    snd_pcm_start(client.pcm)
    client.sleep(milliseconds: 50)
    let free = snd_pcm_avail(client.pcm)
    #expect(free >= 2400)
    #expect(snd_pcm_rewindable(client.pcm) == client.buffer - free)
    #expect(snd_pcm_rewind(client.pcm, 4800) == 4800)
    #expect(snd_pcm_rewindable(client.pcm) == client.buffer - free - 4800)
  }

  @Test func framesFetchedAheadCanNotBeRewritten() throws {
    var settings = VirtualCardSettings()
    settings.prefetch = 960
    let card = try VirtualCard(settings)
    let client = try Client(card)
    client.fill()
    snd_pcm_start(client.pcm)
    client.sleep(milliseconds: 20)
    let command = VirtualCard.now
    #expect(client.rewrite(margin: 480) > 0)
    client.sleep(milliseconds: 60)
    snd_pcm_drop(client.pcm)
    let change = try #require(card.recording(as: UInt32.self).firstIndex { $0 >> 24 == 1 })
    let delay = try #require(card.time(ofFrame: change)) - command
    #expect(delay > 15_000_000 && delay < 40_000_000)
    let end = try #require(card.frame(at: VirtualCard.now))
    #expect(end == card.recordedFrames)
  }

  @Test(arguments: [false, true]) func lateMappedRewriteNeedsTheThread(watched: Bool) throws {
    var settings = VirtualCardSettings()
    settings.recordsInThread = watched
    let card = try VirtualCard(settings)
    let client = try Client(card, mapped: true)
    client.fill()
    snd_pcm_start(client.pcm)
    var areas: UnsafePointer<snd_pcm_channel_area_t>?
    var at: snd_pcm_uframes_t = 0
    var frames: snd_pcm_uframes_t = 0
    snd_pcm_mmap_begin(client.pcm, &areas, &at, &frames)
    let address = try #require(areas?.pointee.addr)
    #expect(card.wait { _ in (card.log.first.map { VirtualCard.now - $0.time } ?? 0) > 30_000_000 })
    memset(address, 0xff, 480 * 4)
    snd_pcm_drop(client.pcm)
    let first = try #require(card.recording(as: UInt32.self).first)
    #expect(first == (watched ? Client.code(0) : .max))
  }

  @Test func refusesBehindThePlugin() throws {
    var settings = VirtualCardSettings()
    settings.rewind = .refused
    settings.rates = 48_000...48_000
    settings.formats = [.s16]
    let card = try VirtualCard(settings)
    let client = try Client(card, buffer: 4800)
    client.fill()
    snd_pcm_start(client.pcm)
    #expect(snd_pcm_rewindable(client.pcm) == 0)
    #expect(snd_pcm_rewind(client.pcm, 480) == 0)
    client.play(4800)
    snd_pcm_nonblock(client.pcm, 0)
    snd_pcm_drain(client.pcm)
    let heard = card.recording(as: UInt32.self)
    #expect(heard == (0..<client.next).map { Client.code($0) })
    #expect(snd_pcm_type(client.pcm) == SND_PCM_TYPE_RATE)
  }
}
