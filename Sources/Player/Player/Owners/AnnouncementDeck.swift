// The third deck: a queue of announcements, played one at a time over the music with decoders and rings of their own.
// Independent of the plan for decks A and B. Control thread; never blocks.

import AudioRing
import PlaybackModel
import Platform
import RealtimeAudio

/// Opens announcements one after another and has the mixer play them over the music.
final class AnnouncementDeck {
  /// Maximum number of queued announcements, including the playing one.
  static let limit = 8
  /// Timeout in nanoseconds for an announcement to become ready, and for an underrun to end.
  private static let timeout: UInt64 = 15_000_000_000
  /// Maximum duration of an announcement in nanoseconds.
  private static let maxLength: UInt64 = 300_000_000_000

  /// Called when the player must settle although no report has arrived.
  var onDue: () -> Void = {}
  /// Called with each step of an announcement.
  var onOutcome: (Announcement, AnnouncementOutcome) -> Void = { _, _ in }
  /// Returns the gain of an announcement at this moment, within the volume limits.
  var gain: (Announcement) -> Gain = { $0.volume?.gain(.cubic) ?? .unity }

  /// The progress of the first announcement in the queue.
  private enum Stage {
    /// The queue is empty, or its first announcement was not opened yet.
    case idle
    /// The decoder is filling the ring. `ready`: the index at which playback can begin, once enough is decoded.
    case opening(any TrackDecoder, ready: UInt64?)
    /// The ring is attached to the mixer under this number.
    case attached(any TrackDecoder, id: UInt32)
  }

  /// The queue; its first announcement is playing or being opened.
  private(set) var line: [Announcement] = []
  /// The error of the last failed announcement; nil once another one is audible.
  private(set) var lastError: PlaybackError?
  /// Whether the first announcement requires the music to pause, and whether the state machine has been notified.
  private var hold = (isWanted: false, isKnown: false)
  private var stage = Stage.idle
  private var rings = LentRings<any TrackDecoder>()
  /// Whether the first announcement's decoder is alive.
  private var life = AnnouncementLife()
  /// The error of the playing announcement, whose ring is still played to its end.
  private var failure: PlaybackError?
  private let sender: CommandSender
  private let source: any DecoderSource
  private let rate: SampleRate
  /// Ends an announcement that is not ready in time or does not recover from an underrun.
  private let timer: DeadlineTimer
  private let longestTimer: DeadlineTimer

  init(_ scheduler: any Scheduler, _ sender: CommandSender, _ source: any DecoderSource, rate: SampleRate) {
    self.sender = sender
    self.source = source
    self.rate = rate
    timer = DeadlineTimer(scheduler)
    longestTimer = DeadlineTimer(scheduler)
  }

  /// Whether the first announcement is playing.
  var isSounding: Bool { if case .attached = stage { true } else { false } }

  /// Ends all decoders and removes the callbacks. The audio thread must have ended before.
  func end() {
    rest()
    line = []
    rings = LentRings()
    onDue = {}
    onOutcome = { _, _ in }
  }

  // MARK: Requests

  /// Appends an announcement to the queue.
  ///
  /// - Returns: False if the queue is full.
  func add(_ announcement: Announcement) -> Bool {
    guard line.count < Self.limit else { return false }
    line.append(announcement)
    if line.count > 1 { onOutcome(announcement, .waits) }
    work()
    return true
  }

  /// Ends the playing announcement with a ramp and drops the queued ones.
  func stop() { clear(.stopped, ramp: rate.frames(Seconds(0.05))) }

  /// Drops all announcements because the output was lost: played later, they would be out of date.
  func noteLoss() { clear(.dropped, ramp: .zero) }

  /// Applies a change of the volume or its limits.
  func followVolume() {
    guard isSounding, let first = line.first else { return }
    sender.send(.setAnnouncementGain(gain(first), ramp: rate.frames(Seconds(0.02))))
  }

  // MARK: Events

  /// Processes the decoder's events.
  func takeDecoderEvents() {
    switch stage {
    case .idle: break
    case .opening(let decoder, _), .attached(let decoder, _):
      for event in decoder.takeEvents() { take(event, decoder) }
    }
    work()
  }

  /// Processes a mixer report about the announcement with this number.
  func take(_ id: UInt32, _ news: BesideNews) {
    if case .released = news { rings.takeBack(id) }
    if case .attached(let decoder, id) = stage, let first = line.first { take(news, first, decoder) }
    work()
  }

  private func take(_ news: BesideNews, _ first: Announcement, _ decoder: any TrackDecoder) {
    switch news {
    case .began:
      lastError = nil
      onOutcome(first, .began)
    case .starved where life.isRestarting:
      failure = failure ?? life.error
      end(.ended)
    case .starved:
      decoder.expectRefill()
      limit(failing: PlaybackError(.decoderHung, path: first.track.path, detail: "It gives no more sound."))
    case .refilled: timer.stop()
    case .ended: finish(failure.map { .failed($0) } ?? .ended)
    case .corrupt:
      finish(
        .failed(
          PlaybackError(
            .decoderBrokeSandbox, path: first.track.path, detail: "it wrote impossible indexes into its ring")
        ))
    // The mixer dropped it together with its output.
    case .released: finish(.dropped)
    }
  }

  private func take(_ event: DecoderEvent, _ decoder: any TrackDecoder) {
    switch (event, stage) {
    case (.opened(let track), _): if !line.isEmpty { line[0].track = track }
    case (.ready(let index, _), .opening):
      stage = .opening(decoder, ready: index)
      life.origin = index
    case (.seeked, _): life.isRestarting = false
    case (.died(let error), .opening(_, ready: nil)): finish(.failed(error))
    case (.died(let error), _): noteDeath(error, decoder)
    case (.failed(let error), .opening(_, ready: nil)): finish(.failed(error))
    case (.failed(let error), .opening) where failure == nil,
      (.failed(let error), .attached) where failure == nil:
      breakOff(error, decoder)
    default: break
    }
  }

  /// The decoder of the first announcement has died; it is restarted once.
  private func noteDeath(_ error: PlaybackError, _ decoder: any TrackDecoder) {
    guard failure == nil, let first = line.first else { return }
    guard let end = life.restart(after: error, decoder.ring) else { return breakOff(error, decoder) }
    decoder.restart(at: Frames(Int64(end &- life.origin)), continuingAt: end)
    life.onRestart(first.track, error)
  }

  /// Plays the rest of the ring, with a fade at its end.
  private func breakOff(_ error: PlaybackError, _ decoder: any TrackDecoder) {
    failure = error
    _ = decoder.seal()
    soften()
  }

  /// Called with the track of an announcement whose decoder was restarted, and the error.
  var onRestart: (Track, PlaybackError) -> Void {
    get { life.onRestart }
    set { life.onRestart = newValue }
  }

  /// The event that pauses or resumes the music for an announcement; nil if nothing has changed. Each change is
  /// returned once.
  func takeHold() -> PlayerEvent? {
    guard hold.isWanted != hold.isKnown else { return nil }
    hold.isKnown = hold.isWanted
    return hold.isWanted ? .announcementBegan : .announcementEnded
  }

  // MARK: Work

  /// Opens the first announcement, and attaches it once it is ready and the previous ring has been released.
  private func work() {
    // The music stays paused between two announcements that both pause it.
    hold.isWanted = (isSounding || hold.isWanted) && line.first?.duck == .pause
    switch stage {
    case .idle: open()
    case .opening(let decoder, let index?) where rings.isEmpty: attach(decoder, at: index)
    case .opening, .attached: break
    }
  }

  private func open() {
    while let first = line.first {
      do throws(PlaybackError) {
        let decoder = try source.open(first.track, at: .zero)
        decoder.onEvents = { [unowned(unsafe) self] in onDue() }
        stage = .opening(decoder, ready: nil)
        return limit(
          failing: PlaybackError(.decoderHung, path: first.track.path, detail: "It is not ready in time."))
      } catch {
        finish(.failed(error))
      }
    }
  }

  private func attach(_ decoder: any TrackDecoder, at index: UInt64) {
    guard let first = line.first else { return }
    timer.stop()
    let id = rings.lend(decoder)
    stage = .attached(decoder, id: id)
    hold.isWanted = first.duck == .pause
    sender.send(.announce(id, decoder.ring, index: index, gain: gain(first), duck: first.duck.gain))
    decoder.wake()
    soften()
    longestTimer.start(after: Self.maxLength) { [unowned(unsafe) self] in
      end(.cut)
      onDue()
    }
  }

  /// Fades out the end of an announcement that is cut short.
  private func soften() {
    if failure != nil, case .attached(_, let id) = stage { sender.send(.softenAnnouncement(id)) }
  }

  /// Starts the timeout after which the first announcement ends with an error.
  private func limit(failing error: PlaybackError) {
    timer.start(after: Self.timeout) { [unowned(unsafe) self] in
      end(.failed(error))
      onDue()
    }
  }

  /// Ends the first announcement in any stage.
  private func end(_ outcome: AnnouncementOutcome) {
    if case .attached(_, let id) = stage {
      sender.send(.endAnnouncement(id, ramp: rate.frames(Seconds(0.05))))
    }
    finish(failure.map { .failed($0) } ?? outcome)
  }

  /// Removes the first announcement. Its ring stays mapped until the mixer releases it.
  private func finish(_ outcome: AnnouncementOutcome) {
    guard !line.isEmpty else { return }
    let first = line.removeFirst()
    rest()
    if case .failed(let error) = outcome { lastError = error }
    onOutcome(first, outcome)
  }

  private func clear(_ outcome: AnnouncementOutcome, ramp: Frames) {
    let all = line
    line = []
    if case .attached(_, let id) = stage { sender.send(.endAnnouncement(id, ramp: ramp)) }
    rest()
    for one in all { onOutcome(one, outcome) }
    work()
  }

  private func rest() {
    switch stage {
    case .idle: break
    case .opening(let decoder, _), .attached(let decoder, _): decoder.terminate()
    }
    stage = .idle
    life.reset()
    failure = nil
    timer.stop()
    longestTimer.stop()
  }
}
