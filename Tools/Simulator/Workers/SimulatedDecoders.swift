// Decoder source of the simulated player: opens tracks and controls the storage behind all decoders. One thread.

import AudioRing
import PlaybackModel
import Player
import RealtimeAudio

/// Receives what decoders make available for playback.
protocol DecoderListener: AnyObject {
  /// A decoder opened a track.
  /// - Parameters:
  ///   - decoder: Number of the decoder.
  ///   - track: Number of the track.
  ///   - frame: First frame.
  ///   - end: Index after the last frame.
  ///   - isSane: Whether length and ring indexes can be trusted.
  func opened(_ decoder: Int, track: Int, at frame: Int, end: Int, isSane: Bool)
  /// A decoder continues at another frame, and nothing decoded before will be heard.
  func moved(_ decoder: Int, to frame: Int)
  /// A decoder was sealed: it ends early at this frame.
  func ends(_ decoder: Int, at frame: Int)
  /// The decoder's file ends before the planned length. `isOwn`: and the claimed length agrees with that, so the
  /// player cannot notice.
  func isTruncated(_ decoder: Int, at frame: Int, isOwn: Bool)
  /// A decoder reached its end and reported it.
  func finished(_ decoder: Int)
  /// The player released the decoder; its ring may still be heard for a while.
  func left(_ decoder: Int)
  /// The decoder's ring is unmapped.
  func closed(_ decoder: Int)
  /// Reports a condition that is always a bug.
  func impossible(_ what: String)
}

/// Makes simulated decoders and keeps track of them.
final class SimulatedDecoders: DecoderSource {
  let plans: [TrackPlan]
  let rate: SampleRate
  let scheduler: SimulatedScheduler
  let pool: RingPool
  unowned let listener: any DecoderListener
  /// Longest time that frames wait in the device's queue plus the audio loop, in nanoseconds.
  var queued: UInt64 = 700_000_000
  /// Speed of the storage in percent.
  private(set) var storage = 100
  private(set) var isStickOut = false
  /// Number of decoders opened so far.
  private(set) var opened = 0
  /// Decoders whose ring is still mapped, including ended ones that the mixer has not released.
  private var decoders: [Unowned] = []

  /// Unretained reference; decoders remove themselves from the list in their deinitializers.
  private struct Unowned {
    let id: Int
    unowned(unsafe) let decoder: SimulatedDecoder
  }

  init(
    _ plans: [TrackPlan], rate: SampleRate, scheduler: SimulatedScheduler, listener: any DecoderListener
  ) {
    self.plans = plans
    self.rate = rate
    self.scheduler = scheduler
    self.listener = listener
    pool = RingPool(RingLayout(rate: rate))
  }

  static let musicFolder = "/music"
  static let stickFolder = "/media/stick"

  /// The path of a track.
  static func path(_ number: Int, _ plan: TrackPlan) -> String {
    (plan.isOnStick ? stickFolder : musicFolder) + "/\(number)"
  }

  /// The number of the track at a path.
  static func number(_ path: String) -> Int? { path.split(separator: "/").last.flatMap { Int($0) } }

  func open(_ track: Track, at position: Frames) throws(PlaybackError) -> any TrackDecoder {
    opened += 1
    guard let number = Self.number(track.path), plans.indices.contains(number) else {
      throw PlaybackError(.missing, path: track.path)
    }
    let plan = plans[number]
    if plan.fault == .refuses { throw PlaybackError(.unsupportedFormat, path: track.path) }
    let decoder = SimulatedDecoder(opened, track, number, plan, at: Int(position.count), of: self)
    decoders.append(Unowned(id: decoder.id, decoder: decoder))
    return decoder
  }

  func forget(_ id: Int) { decoders.removeAll { $0.id == id } }

  /// Number of decoders that were not terminated.
  var alive: Int { decoders.count { !$0.decoder.isTerminated } }
  /// Number of decoders whose ring is still mapped.
  var mapped: Int { decoders.count }

  /// When the first decoder has work, in nanoseconds; nil if none has.
  var due: UInt64? {
    var due: UInt64?
    for entry in decoders {
      if let next = entry.decoder.due { due = min(due ?? next, next) }
    }
    return due
  }

  /// Runs all work that is due.
  func work() {
    for entry in decoders { entry.decoder.work() }
  }

  func setStorage(_ percent: Int) {
    storage = percent
    for entry in decoders { entry.decoder.storageChanged() }
  }

  func setStick(isOut: Bool) {
    isStickOut = isOut
    guard isOut else { return }
    for entry in decoders where entry.decoder.isOnStick { entry.decoder.fail(.unreadable) }
  }

  /// Makes all decoders crash, hang or reach the end of their file, as the action says.
  func perform(_ action: Action) {
    for entry in decoders {
      switch action {
      case .crashWorkers: entry.decoder.die(.decoderCrashed)
      case .hangWorkers: entry.decoder.hang()
      case .truncateFiles: entry.decoder.truncate()
      default: break
      }
    }
  }

  /// Whether a decoder's ring may have been empty at or shortly after a frame although the track continues.
  func isShort(_ decoder: Int, at frame: Int) -> Bool {
    decoders.first { $0.id == decoder }?.decoder.isShort(at: frame) ?? true
  }

  /// Whether a decoder died or hangs and everything it wrote has been played.
  func isSpent(_ decoder: Int, at frame: Int) -> Bool {
    decoders.first { $0.id == decoder }?.decoder.isSpent(at: frame) ?? false
  }

  /// Whether a decoder became ready before a time.
  func wasReady(_ decoder: Int, before time: UInt64) -> Bool {
    guard let since = decoders.first(where: { $0.id == decoder })?.decoder.readySince else { return false }
    return since < time
  }
}
