// The third deck: announcements in line, each with a decoder and a ring like a track's, and what becomes of them. The plan of
// decks A and B knows nothing of it. Control thread; never waits.

import AudioRing
import PlaybackModel
import Platform
import RealtimeAudio

/// Opens announcements one after another, and has the mixer play them over everything.
final class AnnouncementDeck {
  /// Announcements in line, the one that sounds included.
  static let limit = 8
  /// Nanoseconds within which an announcement has to be ready, and one that ran dry has to go on.
  private static let timeout: UInt64 = 15_000_000_000
  /// Nanoseconds for which one may sound.
  private static let maxLength: UInt64 = 300_000_000_000

  /// Called where something is to be done that no report brings about.
  var onDue: () -> Void = {}
  /// Called with what becomes of an announcement, and how many are in line then.
  var onOutcome: (Announcement, AnnouncementOutcome) -> Void = { _, _ in }
  /// How loud an announcement may be at this moment.
  var gain: (Announcement) -> Gain = { $0.volume?.gain(.cubic) ?? .unity }

  /// How far the first in line has come.
  private enum Stage {
    /// Nothing is in line, or it was not begun yet.
    case idle
    /// Its decoder fills the ring. The index at which it can begin, once there is enough.
    case opening(any TrackDecoder, ready: UInt64?)
    /// The mixer has its ring under this number.
    case attached(any TrackDecoder, id: UInt32)
  }

  /// Those that are in line; the first one sounds, or is being opened.
  private(set) var line: [Announcement] = []
  /// The error of the last one that failed; nil once another one is heard.
  private(set) var lastError: PlaybackError?
  /// Whether the first in line wants silence beside it, and whether the state machine knows.
  private var hold = (isWanted: false, isKnown: false)
  private var stage = Stage.idle
  private var rings = LentRings<any TrackDecoder>()
  /// The decoder of the first in line.
  private var life = AnnouncementLife()
  /// What is wrong with the one that sounds, whose ring is played to its end all the same.
  private var failure: PlaybackError?
  private let sender: CommandSender
  private let source: any DecoderSource
  private let rate: SampleRate
  /// Ends what is not ready, runs dry or does not end.
  private let timer: DeadlineTimer
  private let longestTimer: DeadlineTimer

  init(_ scheduler: any Scheduler, _ sender: CommandSender, _ source: any DecoderSource, rate: SampleRate) {
    self.sender = sender
    self.source = source
    self.rate = rate
    timer = DeadlineTimer(scheduler)
    longestTimer = DeadlineTimer(scheduler)
  }

  /// Whether the first in line is heard.
  var isSounding: Bool { if case .attached = stage { true } else { false } }

  /// Ends all decoders, and calls nothing any more. The audio thread has ended before.
  func end() {
    rest()
    line = []
    rings = LentRings()
    onDue = {}
    onOutcome = { _, _ in }
  }

  // MARK: Requests

  /// Puts an announcement in line. False where the line is full.
  func add(_ announcement: Announcement) -> Bool {
    guard line.count < Self.limit else { return false }
    line.append(announcement)
    if line.count > 1 { onOutcome(announcement, .waits) }
    work()
    return true
  }

  /// Ends the one that sounds, over a ramp, and forgets the others.
  func stop() { clear(.stopped, ramp: rate.frames(Seconds(0.05))) }

  /// The output is gone, and with it the moment for which all of them were meant.
  func noteLoss() { clear(.dropped, ramp: .zero) }

  /// The volume or its limits have changed.
  func followVolume() {
    guard isSounding, let first = line.first else { return }
    sender.send(.setAnnouncementGain(gain(first), ramp: rate.frames(Seconds(0.02))))
  }

  // MARK: What happens

  /// Takes what the decoder has reported.
  func takeDecoderEvents() {
    switch stage {
    case .idle: break
    case .opening(let decoder, _), .attached(let decoder, _):
      for event in decoder.takeEvents() { take(event, decoder) }
    }
    work()
  }

  /// Takes what the mixer has reported of the announcement with this number.
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
    // It was dropped with the output that it was on.
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

  /// The decoder of the first in line has died: it is restarted once.
  private func noteDeath(_ error: PlaybackError, _ decoder: any TrackDecoder) {
    guard failure == nil, let first = line.first else { return }
    guard let end = life.restart(after: error, decoder.ring) else { return breakOff(error, decoder) }
    decoder.restart(at: Frames(Int64(end &- life.origin)), continuingAt: end)
    life.onRestart(first.track, error)
  }

  /// What is in the ring is heard, and ends softly.
  private func breakOff(_ error: PlaybackError, _ decoder: any TrackDecoder) {
    failure = error
    _ = decoder.seal()
    soften()
  }

  /// Called with the track of an announcement whose decoder was restarted, and why.
  var onRestart: (Track, PlaybackError) -> Void {
    get { life.onRestart }
    set { life.onRestart = newValue }
  }

  /// The event for the state machine where music has to be held from now on, or no more.
  func takeHold() -> PlayerEvent? {
    guard hold.isWanted != hold.isKnown else { return nil }
    hold.isKnown = hold.isWanted
    return hold.isWanted ? .announcementBegan : .announcementEnded
  }

  // MARK: Work

  /// Opens the first in line, and has it sound as soon as it is ready and the ring before it is let go of.
  private func work() {
    // Music is not let in between two that want silence.
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

  /// What breaks off is ramped out.
  private func soften() {
    if failure != nil, case .attached(_, let id) = stage { sender.send(.softenAnnouncement(id)) }
  }

  /// Ends the first in line with an error unless something happens in time.
  private func limit(failing error: PlaybackError) {
    timer.start(after: Self.timeout) { [unowned(unsafe) self] in
      end(.failed(error))
      onDue()
    }
  }

  /// Ends the first in line by itself, whatever it does.
  private func end(_ outcome: AnnouncementOutcome) {
    if case .attached(_, let id) = stage {
      sender.send(.endAnnouncement(id, ramp: rate.frames(Seconds(0.05))))
    }
    finish(failure.map { .failed($0) } ?? outcome)
  }

  /// The first in line is over; its ring stays until the mixer has let go of it.
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
