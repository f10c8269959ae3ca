// The worker processes of a simulated box, as the player knows them: who opens tracks, and the storage behind them.
// One thread.

import AudioRing
import PlaybackModel
import Player
import RealtimeAudio

/// Whoever follows what decoders offer to be heard.
protocol DecoderListener: AnyObject {
  /// A decoder begins a track at a frame; `end` is one past its last.
  func opened(_ decoder: Int, track: Int, at frame: Int, end: Int, isSane: Bool)
  /// It goes on at another frame; nothing of what came before will be heard.
  func moved(_ decoder: Int, to frame: Int)
  /// It ends before its time.
  func ends(_ decoder: Int, at frame: Int)
  /// Its file ends before its time; `isOwn`: and does not state another length, so that nobody can know.
  func isTruncated(_ decoder: Int, at frame: Int, isOwn: Bool)
  /// It has come to its end, and says so.
  func finished(_ decoder: Int)
  /// The player has no more use for it; what is in its ring may still be heard for a while.
  func left(_ decoder: Int)
  /// Its ring is gone.
  func closed(_ decoder: Int)
  /// Something that can never be right.
  func impossible(_ what: String)
}

/// Makes simulated decoders and keeps account of them.
final class SimulatedDecoders: DecoderSource {
  let plans: [TrackPlan]
  let rate: SampleRate
  let scheduler: SimulatedScheduler
  let pool: RingPool
  unowned let listener: any DecoderListener
  /// The longest time that frames wait in a device's queue, with the loop's own, in nanoseconds.
  var queued: UInt64 = 700_000_000
  /// The speed of the storage in percent.
  private(set) var storage = 100
  private(set) var isStickOut = false
  /// How often a track was opened.
  private(set) var opened = 0
  /// All that live; those that ended and wait for the mixer to let go included.
  private var decoders: [Unowned] = []

  /// Decoders take themselves off the list as they go.
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

  /// Where a track lies.
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

  /// Decoders that have not been ended.
  var alive: Int { decoders.count { !$0.decoder.isTerminated } }
  /// Decoders whose ring is still mapped.
  var mapped: Int { decoders.count }

  /// When the first of them has something to do.
  var due: UInt64? {
    var due: UInt64?
    for entry in decoders {
      if let next = entry.decoder.due { due = min(due ?? next, next) }
    }
    return due
  }

  /// Lets all work that is due be done.
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

  /// All decoders die, hang or come to the end of their files.
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

  /// Whether a decoder may have nothing at a frame, or a little after, although its track goes on.
  func isShort(_ decoder: Int, at frame: Int) -> Bool {
    decoders.first { $0.id == decoder }?.decoder.isShort(at: frame) ?? true
  }

  /// Whether a decoder has died or hangs, and what it has written is heard.
  func isSpent(_ decoder: Int, at frame: Int) -> Bool {
    decoders.first { $0.id == decoder }?.decoder.isSpent(at: frame) ?? false
  }

  /// Whether a decoder of a track has been ready since a time.
  func wasReady(_ decoder: Int, before time: UInt64) -> Bool {
    guard let since = decoders.first(where: { $0.id == decoder })?.decoder.readySince else { return false }
    return since < time
  }
}
