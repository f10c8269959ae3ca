// When a station's next title is heard. Control thread only; wakes once for each title.

import PlaybackModel
import Platform
import RealtimeAudio

/// Compares the titles of the lead's ring with what is heard.
final class TitleWatch {
  /// Called with a title that begins to be heard, and its station.
  var onTitle: (String, Track) -> Void = { _, _ in }
  /// What the sound is called; nil where nothing says so.
  private(set) var sounding: String?
  private let decks: Decks
  private let positions: PositionReader
  private let rate: SampleRate
  private let timer: DeadlineTimer
  private var track: UInt64?

  init(_ scheduler: any Scheduler, _ decks: Decks, _ positions: PositionReader, rate: SampleRate) {
    self.decks = decks
    self.positions = positions
    self.rate = rate
    timer = DeadlineTimer(scheduler)
  }

  /// Reports a title that is heard by now, and comes back for the next one.
  ///
  /// - Parameter isMoving: Whether the sound moves on.
  func look(isMoving: Bool) {
    timer.stop()
    guard let slot = decks.facts.leadSlot else {
      (track, sounding) = (nil, nil)
      return
    }
    if slot.track.id != track { (track, sounding) = (slot.track.id, nil) }
    guard slot.wasHeard, decks.isCurrent(decks.facts.lead) else { return }
    let index = positions.indexNow(decks.facts.lead)
    let title = slot.titles.title(at: index)
    if let title, title != sounding {
      sounding = title
      onTitle(title, slot.track)
    }
    guard isMoving, let next = slot.titles.next(after: index) else { return }
    let wait = rate.seconds(Frames(Int64(clamping: next - index))).value
    timer.start(after: UInt64(wait * 1e9) + 1_000_000) { [unowned(unsafe) self] in look(isMoving: true) }
  }

  /// Calls nothing any more.
  func end() { timer.stop() }
}
