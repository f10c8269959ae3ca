// The engine's side of the protocol as a state machine: what a worker may say when. Pure; any thread.
// A worker that says anything else is not believed another word.

import PlaybackModel

/// What happened to a track's worker, for the control thread.
package enum WorkerEvent: Hashable, Sendable {
  /// The file is understood.
  case opened(StreamInfo)
  /// Enough sound to start lies in the ring: frame `position` of the track is at ring index `index`.
  case ready(position: Frames, index: UInt64)
  /// The same after the seek that `CodecWorker.seek` returned this generation for. Answers to seeks that
  /// were overtaken by later ones are not reported.
  case seeked(generation: UInt32, position: Frames, index: UInt64)
  /// The track's length, which was not known when it was opened.
  case measured(Frames)
  /// The track's end is in the ring, before `index`; the track has `total` frames.
  case ended(total: Frames, index: UInt64)
  /// From a ring index on, the station calls its sound so; by nothing, where a track of its stream has no name.
  case titled(String, index: UInt64)
  /// What lies from a ring index on does not follow what came before: the station was joined anew, and so many nanoseconds of it are left
  /// out, where that is known.
  case leftOut(nanoseconds: UInt64, index: UInt64)
  /// The worker's process crashed, was killed, or hung, after its track had begun. What lies in the ring can still be heard; `restart`
  /// brings a successor, and nothing else follows.
  case died(WorkerFailure)
  /// No more will come. What lies in the ring can still be heard; after `opened` the ring's end index says
  /// where that stops, unless the worker died too suddenly to set it.
  case failed(WorkerFailure)
}

/// Tracks what was asked of a worker and judges what it says.
struct Conversation {
  enum Reaction: Equatable {
    case event(WorkerEvent)
    /// Legitimate, but of no interest any more.
    case stale
    /// Go on with a worker that has `equipment`, and call `restart`.
    case restart
    /// The stream is a list of other addresses. Go on with one of them, and call `begin`.
    case list([PlaylistEntry])
    case violation(UInt32)
    case nonsense
  }

  private enum Stage { case starting, opened, playing, over }

  private var stage = Stage.starting
  /// What the worker was started with, or its successor shall be.
  private(set) var equipment: WorkerEquipment
  private let start: Int64
  private var length: Int64?
  private var asked: UInt32 = 0
  private var askedIndex: UInt64 = 0
  private var lastSeek: EngineMessage?
  private var answered: UInt32 = 0
  private var hasEnded = false
  /// Whether a worker of the track has had sound ready.
  private(set) var hasBegun = false
  private var titles = StreamTitles()
  private let isStream: Bool
  private var isMeasured = false
  private var entries: [PlaylistEntry] = []
  /// Whether the worker only says what its file is, chapters included.
  private let isProbe: Bool
  private var chapters: [StreamInfo.Chapter] = []

  /// For a worker that was told to start at frame `start`.
  ///
  /// - Parameters:
  ///   - isStream: Whether it reads a stream, which may turn out to be a list, and may name its own tracks.
  ///   - isProbe: Whether it only says what the file is.
  init(_ equipment: WorkerEquipment, start: Int64, isStream: Bool = false, isProbe: Bool = false) {
    self.equipment = equipment
    self.start = start
    self.isStream = isStream
    self.isProbe = isProbe
  }

  /// A worker begins on another address, loading a plugin first. Returns what it is to be asked for.
  mutating func begin(hint: String) -> [EngineMessage] {
    equipment.hint = hint
    titles = StreamTitles()
    entries = []
    return restart()
  }

  /// Asks for a seek, after which the frames continue in the ring at `index`. Returns the number that its answer carries,
  /// and what to send: what names the sound that is gone to is asked for again.
  mutating func seek(to position: Frames, index: UInt64) -> (generation: UInt32, messages: [EngineMessage]) {
    asked += 1
    askedIndex = index
    hasEnded = false
    let message = EngineMessage.seek(generation: asked, position: position.count, index: index)
    lastSeek = message
    titles.recall()
    return (asked, [message] + titles.offsets.map { .mark(offset: $0) })
  }

  /// From a byte of the stream on, the station calls its sound so. Returns what to ask.
  mutating func note(_ title: String, at offset: UInt64) -> EngineMessage {
    titles.add(title, at: offset)
    return .mark(offset: offset)
  }

  /// A new worker begins in place of the old one. Returns what it is to be asked for, too.
  mutating func restart() -> [EngineMessage] {
    stage = .starting
    isMeasured = false
    chapters = []
    answered = 0
    // A seek voids what was asked before it.
    return (lastSeek.map { [$0] } ?? []) + titles.offsets.map { .mark(offset: $0) }
  }

  /// Judges a message. `now` is nanoseconds of a monotonic clock.
  mutating func receive(_ bytes: ArraySlice<UInt8>, now: UInt64 = 0) -> Reaction {
    guard stage != .over, let message = WorkerMessage(bytes) else { return end(.nonsense) }
    switch message {
    case .opened(let info):
      guard stage == .starting else { return end(.nonsense) }
      stage = .opened
      length = info.totalFrames?.count
      var info = info
      info.chapters = chapters
      chapters = []
      return .event(.opened(info))
    case .ready(let index, let position):
      guard stage == .opened, index == 0, isPosition(position), position <= start else {
        return end(.nonsense)
      }
      stage = .playing
      hasBegun = true
      return asked == 0 ? .event(.ready(position: Frames(position), index: index)) : .stale
    case .seeked(let generation, let index, let position):
      guard stage == .opened || stage == .playing, generation > answered, generation <= asked,
        isPosition(position), generation != asked || index == askedIndex
      else { return end(.nonsense) }
      stage = .playing
      hasBegun = true
      answered = generation
      guard generation == asked else { return .stale }
      return .event(.seeked(generation: generation, position: Frames(position), index: index))
    case .ended(let generation, let index, let total):
      guard stage == .playing, generation <= asked, (0...Limits.maxTrack).contains(total) else {
        return end(.nonsense)
      }
      guard generation == asked, answered == asked else { return .stale }
      guard !hasEnded, indexes.contains(index) else { return end(.nonsense) }
      hasEnded = true
      return .event(.ended(total: Frames(total), index: index))
    case .failed(let failure):
      // A worker cannot know the other kinds of itself, and opens its file before all else.
      let claimable: [WorkerFailure.Kind] = [
        .unreadable, .unsupportedFormat, .corrupt, .protected, .decoderCrashed, .internalError,
      ]
      guard
        claimable.contains(failure.kind)
          || (failure.kind == .missing || failure.kind == .away) && stage == .starting,
        !failure.sentence.isEmpty
      else { return end(.nonsense) }
      return end(.event(.failed(failure)))
    case .needs(let need):
      // Once for each reason: the next one has it.
      guard stage == .starting, !equipment.has(need) else { return end(.nonsense) }
      equipment.add(need)
      return end(.restart)
    case .violated(let systemCall):
      return end(.violation(systemCall))
    case .passed(let offset, let index):
      guard stage == .opened || stage == .playing else { return end(.nonsense) }
      guard titles.awaits(offset) else {
        return titles.mayHaveDropped(offset) ? .stale : end(.nonsense)
      }
      // Before the worker knew of the last seek, behind which it was asked again.
      guard answered == asked, let title = titles.take(offset) else { return .stale }
      return indexes.contains(index) ? .event(.titled(title, index: index)) : end(.nonsense)
    case .named(let index, let title):
      guard isStream, stage == .opened || stage == .playing, titles.takesName(now: now),
        answered != asked || indexes.contains(index)
      else { return end(.nonsense) }
      return answered == asked ? .event(.titled(title, index: index)) : .stale
    case .seam(let index):
      guard isStream, stage == .opened || stage == .playing, titles.takesName(now: now),
        answered != asked || indexes.contains(index)
      else { return end(.nonsense) }
      return answered == asked ? .event(.leftOut(nanoseconds: 0, index: index)) : .stale
    case .entry(let entry):
      guard isStream, stage == .starting, entries.count < StationList.maximumEntries else {
        return end(.nonsense)
      }
      entries.append(entry)
      return .stale
    case .listed(let count):
      guard isStream, stage == .starting, count > 0, Int(exactly: count) == entries.count else {
        return end(.nonsense)
      }
      return end(.list(entries))
    case .measured(let total):
      // Once for each worker, and a length that was stated does not shrink.
      guard !isStream, stage == .opened || stage == .playing, !isMeasured,
        ((length ?? 0)...Limits.maxTrack).contains(total)
      else { return end(.nonsense) }
      isMeasured = true
      length = total
      return .event(.measured(Frames(total)))
    case .chapter(let chapter):
      guard isProbe, stage == .starting, chapters.count < Limits.chapters,
        chapters.last.map({ $0.start <= chapter.start }) ?? true
      else { return end(.nonsense) }
      chapters.append(chapter)
      return .stale
    case .plugin, .silent: return end(.nonsense)
    }
  }

  /// The ring indexes that a track can end at, after the last seek.
  var indexes: ClosedRange<UInt64> {
    let (last, isTooMuch) = askedIndex.addingReportingOverflow(UInt64(Limits.maxTrack))
    return askedIndex...(isTooMuch ? .max - 1 : last)
  }

  private func isPosition(_ position: Int64) -> Bool {
    // Positions of a restarted station continue from the dead worker's, beyond the length that the successor states.
    (0...(isStream ? Limits.maxTrack : length ?? Limits.maxTrack)).contains(position)
  }

  private mutating func end(_ reaction: Reaction) -> Reaction {
    stage = .over
    return reaction
  }
}
