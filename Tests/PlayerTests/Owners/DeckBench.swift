// Decks with fake decoders and a mixer that applies each command at once, without an audio thread. Test
// threads.

import Platform
import PlaybackModel
import Testing

@testable import Player
@testable import RealtimeAudio

/// The components that the player's owners work on.
final class DeckBench {
  static let rate = SampleRate(44_100)
  let scheduler: OfflineScheduler
  let files: FakeDecoders
  let link = AudioLink(wakeAudio: {}, notifyControl: {})
  let decks: Decks
  let queue = PlayerQueue(PlayQueue())
  let positions: PositionReader
  let decoding: DecodingMonitor
  let succession: SuccessionPlanner
  var settings = PlayerSettings(rate: DeckBench.rate)

  /// All files are in the queue, with ids from 1.
  init(_ files: [FakeFile], isOffline: Bool = false) throws {
    scheduler = OfflineScheduler(over: try EventLoop())
    scheduler.advance(to: 1_000_000_000)
    self.files = FakeDecoders(files, scheduler)
    let decoders = DeckDecoders(scheduler, self.files, rate: Self.rate)
    let sender = CommandSender(link, scheduler)
    decks = Decks(
      sender, decoders, AnnouncementDeck(scheduler, sender, self.files, rate: Self.rate),
      LiveInputDeck(sender, link, rate: Self.rate), declick: settings.declickFrames)
    positions = PositionReader(scheduler, link: link, decks: decks, rate: Self.rate, isOffline: isOffline)
    decoding = DecodingMonitor(scheduler, decks, positions, rate: Self.rate)
    succession = SuccessionPlanner(scheduler, decks, queue, positions, decoding)
    for number in files.indices { try queue.queue.add(Track(id: 0, path: "\(number)")) }
  }

  /// The queue's entry for a file.
  func track(_ number: Int) -> Track { queue.queue.tracks[number] }

  /// Opens a file on a deck and handles the decoder's immediate reports.
  func open(_ number: Int, on deck: Deck = .a, at position: Int = 0) {
    decks.carryOut(.open(track(number), at: frames(position), on: deck))
    hear()
  }

  /// Opens a file on deck A and starts it.
  func play(_ number: Int) {
    open(number)
    decks.carryOut(.start(.a, ramp: .zero))
    obey()
  }

  /// Handles the decoders' reports and lets the mixer apply the resulting commands.
  func hear() {
    for deck in Deck.allCases { _ = decks.takeDecoderEvents(deck) }
    obey()
  }

  /// Lets the mixer apply all commands.
  func obey() {
    decks.sender.flush()
    while let request = link.takeCommand() { decks.sender.noteApplied(request.id, heardAt: nil) }
  }

  /// Publishes a position as the audio thread does. Both decks advance if `isRunning`.
  func publish(frame: Int = 0, a: UInt64 = 0, b: UInt64 = 0, isRunning: Bool = false) {
    var reading = PositionReading(
      positions: MixerPositions(frame: frames(frame), a: a, b: b, fade: nil), time: scheduler.now,
      isRunning: isRunning)
    (reading.positions.movesA, reading.positions.movesB) = (isRunning, isRunning)
    reading.handedOver = frames(frame + 22_050)
    reading.steadyUntil = reading.handedOver
    link.publish(reading)
  }

  /// A mixer event at a frame of the timeline, with the ring indices of both decks.
  func stamped(_ event: MixerEvent, frame: Int = 0, a: UInt64 = 0, b: UInt64 = 0) -> StampedEvent {
    StampedEvent(event: event, positions: MixerPositions(frame: frames(frame), a: a, b: b, fade: nil))
  }

  /// Advances the clock and runs due timers.
  func wait(_ seconds: Double) {
    scheduler.advance(to: scheduler.now + UInt64(seconds * 1e9))
    _ = scheduler.fire()
  }
}

func frames(_ count: Int) -> Frames { Frames(Int64(count)) }

extension PlayerEvent {
  /// The error that the event reports.
  var error: PlaybackError? {
    switch self {
    case .didFail(let error), .didFailNext(let error): error
    default: nil
    }
  }
}
