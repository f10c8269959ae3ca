// Reports a station's title when its sound becomes audible. Control thread only; one wakeup per title.

import PlaybackModel
import Platform
import RealtimeAudio

/// Compares the titles in the lead's ring with the audible position.
final class TitleWatch {
  /// Called with a title that has become audible, and its station.
  var onTitle: (String, Track) -> Void = { _, _ in }
  /// The title of the audible sound; nil if the station has announced none.
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

  /// Reports a title that has become audible and schedules the next check.
  ///
  /// - Parameter isMoving: Whether playback advances; otherwise no check is scheduled.
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

  /// Cancels the timer.
  func end() { timer.stop() }
}
