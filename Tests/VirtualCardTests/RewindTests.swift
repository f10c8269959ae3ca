// The deep buffer: queued frames are rewound and rewritten during playback. Test threads.
import CALSA
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime, .serialized) struct RewindTests {
  /// Read/write access, mmap access, and mmap access with the card's recording thread.
  enum Access: CaseIterable { case write, mapped, mappedAndWatched }

  @Test(arguments: Access.allCases) func nothingIsLostOrRepeated(access: Access) throws {
    var settings = VirtualCardSettings()
    settings.recordsInThread = access == .mappedAndWatched
    settings.speed = 0.5  // twice the time to get there; all else is counted in frames
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
    client.sleep(milliseconds: 40)
    snd_pcm_drop(client.pcm)

    let heard = card.recording(as: UInt32.self)
    #expect(heard.map { Int($0 & 0xff_ffff) } == Array(1...heard.count))
    let versions = heard.map { Int($0 >> 24) }
    #expect(versions == versions.sorted())
    for (trial, command) in commands.enumerated() {
      let change = try #require(versions.firstIndex(of: trial + 1))
      let given = try #require(card.frame(at: command))
      #expect(change >= given + 480 && change <= given + 960)
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
    let given = VirtualCard.now
    #expect(client.rewrite(margin: 480) > 0)
    #expect(card.wait { _ in snd_pcm_avail(client.pcm) > 0 && card.recordedFrames > client.buffer / 2 })
    snd_pcm_drop(client.pcm)
    let change = try #require(card.recording(as: UInt32.self).firstIndex { $0 >> 24 == 1 })
    #expect(change >= (try #require(card.frame(at: given))) + 960)
    #expect(card.frame(at: VirtualCard.now) == card.recordedFrames)
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
    let start = VirtualCard.now
    #expect(card.wait { watched ? $0.recordedFrames >= 480 : VirtualCard.now - start > 20_000_000 })
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
    let client = try Client(card, buffer: 9600)
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
