// An audio loop on a real thread that plays a virtual card through the real libasound. Test threads.
import AudioRing
import Foundation
import Outputs
import Platform
import PlaybackModel
import RealtimeAudio
import Synchronization
import VirtualCardSupport

/// A track in process memory: frame `i` has `i + 1` on the left, exact in 24 bits, and noise on the right.
final class Track: @unchecked Sendable {
  let layout: RingLayout
  let base: UnsafeMutableRawPointer
  let length: Int

  init(_ length: Int, offset: Int = 0) {
    self.length = length
    var capacity = 1024
    while capacity < length { capacity *= 2 }
    layout = RingLayout(capacity: capacity)
    base = .allocate(byteCount: layout.totalBytes, alignment: 4096)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: layout.totalBytes)
    var writer = RingWriter(layout: layout, base: base)
    var done = 0
    while done < length {
      let place = writer.contiguous()
      let run = min(length - done, place.count / 2)
      for i in 0..<run {
        let number = done + i + offset + 1
        place[2 * i] = Float(number) / 8_388_608
        place[2 * i + 1] = Float((number &* 7919) % 65536 - 32768) / 131072
      }
      writer.commit(run)
      done += run
    }
    writer.finish()
  }

  deinit { base.deallocate() }

  var reader: RingReader { RingReader(layout: layout, base: base) }
}

/// A card with its device, loop and thread.
final class CardRig {
  let card: VirtualCard
  let device: ALSADevice
  let link: AudioLink
  private let loop: AudioLoop
  private let thread: RealtimeThread
  private let isStopped: Flag
  private(set) var reports: [AudioReport] = []
  /// The time at which the last batch was flushed.
  private(set) var sentAt: UInt64 = 0
  /// The scheduling that the audio thread was granted.
  var grant: String { thread.grant.description }
  private var nextID: UInt32 = 0
  private var tracks: [Track] = []

  final class Flag: Sendable {
    let value = Atomic<Bool>(false)
  }

  init(_ card: VirtualCard, _ options: OutputOptions) throws {
    self.card = card
    let device = try ALSADevice(name: card.deviceName, options: options)
    self.device = device
    link = AudioLink(wakeAudio: { device.wake() }, notifyControl: {})
    let loop = AudioLoop(device: device, link: link)
    self.loop = loop
    let flag = Flag()
    isStopped = flag
    thread = try RealtimeThread(priority: 20, locksMemory: false) {
      while !flag.value.load(ordering: .acquiring) {
        let pause = loop.turn()
        device.wait(pause)
      }
    }
  }

  /// Ends the thread; after that the recording is complete.
  func stop() {
    isStopped.value.store(true, ordering: .releasing)
    device.wake()
    thread.join()
  }

  /// The command that attaches a track; the track is retained.
  func attaching(_ track: Track, to deck: Deck, at index: UInt64 = 0) -> MixerCommand {
    tracks.append(track)
    return .attach(deck, track.reader, index: index, trackGain: .unity)
  }

  /// Sends commands as one batch, for the next or a given frame of the timeline. Returns the first id.
  @discardableResult
  func send(_ commands: [MixerCommand], at frame: Int? = nil) -> UInt32 {
    let pin: Pin = frame.map { .at(Frames(Int64($0))) } ?? .now
    let first = nextID + 1
    for command in commands {
      nextID += 1
      while !link.send(CommandRequest(id: nextID, pin: pin, command: command)) { usleep(1000) }
    }
    // Repeated until the send time is precise, in case this thread was preempted.
    repeat {
      sentAt = MonotonicClock.now()
    } while MonotonicClock.now() - sentAt > 100_000
    link.flush()
    return first
  }

  /// Receives reports until `condition` holds. Returns false after `seconds`.
  @discardableResult
  func wait(_ seconds: Double = 5, until condition: (CardRig) -> Bool) -> Bool {
    let end = MonotonicClock.now() + UInt64(seconds * 1e9)
    while true {
      while let report = link.takeReport() { reports.append(report) }
      if condition(self) { return true }
      guard MonotonicClock.now() < end else { return false }
      usleep(500)
    }
  }

  /// The frame of the timeline on which a command took effect.
  func applied(_ id: UInt32) -> Int? {
    for case .mixer(let event) in reports {
      if case .applied(id) = event.event { return Int(event.positions.frame.count) }
    }
    return nil
  }

  func has(_ matches: (MixerEvent) -> Bool) -> Bool {
    reports.contains { if case .mixer(let event) = $0 { matches(event.event) } else { false } }
  }

  /// Attaches a track and starts it.
  func play(_ track: Track) { send([attaching(track, to: .a), .start(.a, ramp: .zero)]) }

  /// Waits until a number of further frames was played.
  @discardableResult
  func hear(_ frames: Int) -> Bool {
    let target = card.recordedFrames + frames
    return wait(20) { $0.card.recordedFrames >= target }
  }

  /// The frames at which the loop reported a loss of the device.
  var lostAt: [Int] {
    reports.compactMap { if case .deviceLost(let frame) = $0 { Int(frame.count) } else { nil } }
  }

  var restorations: Int { reports.count { if case .deviceRestored = $0 { true } else { false } } }

  var underruns: Int { reports.count { if case .underrun = $0 { true } else { false } } }
}

/// A card with a plain format and matching options.
func plainCard(
  _ format: VirtualCardSettings.Format = .s32, _ change: (inout VirtualCardSettings) -> Void = { _ in }
) throws -> VirtualCard {
  var settings = VirtualCardSettings()
  settings.formats = [format]
  settings.channels = 2...2
  settings.rates = 44100...44100
  change(&settings)
  return try VirtualCard(settings)
}

let cardOptions = OutputOptions(rate: SampleRate(44100))

extension Join {
  /// A fade to the other deck that begins at once; the ends of both tracks are unknown.
  static func fadeNow(from deck: Deck, _ fade: Fade) -> Join {
    .crossfade(
      from: deck, to: deck.other, at: 0, fade, ends: FadeEnds(from: RingLayout.noEnd, to: RingLayout.noEnd))
  }
}
