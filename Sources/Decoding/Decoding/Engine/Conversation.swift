// The engine's side of the worker protocol as a state machine. Pure; any thread. Any message that is invalid
// in the present state ends the conversation with `nonsense`.

import PlaybackModel
import Playlists

/// An event of a track's worker, for the control thread.
package enum WorkerEvent: Hashable, Sendable {
  /// The file was recognised.
  case opened(StreamInfo)
  /// Enough frames to start are in the ring: frame `position` of the track is at ring index `index`.
  case ready(position: Frames, index: UInt64)
  /// Enough frames are in the ring after the seek that returned this generation. Superseded seeks are not
  /// reported.
  case seeked(generation: UInt32, position: Frames, index: UInt64)
  /// The track's length, measured after it was opened.
  case measured(Frames)
  /// The end of the track is in the ring, before `index`; the track has `total` frames.
  case ended(total: Frames, index: UInt64)
  /// The station's title from a ring index on; empty if the stream gives none.
  case titled(String, index: UInt64)
  /// A discontinuity at a ring index: the station was joined again, with this many nanoseconds missing; 0 if
  /// unknown.
  case leftOut(nanoseconds: UInt64, index: UInt64)
  /// The worker crashed, was killed, or hung, after its track had begun. Frames in the ring remain playable.
  /// No events follow until `restart`.
  case died(WorkerFailure)
  /// The track has failed. Frames in the ring remain playable up to the ring's end index, which is unset if
  /// the worker died before it could write it.
  case failed(WorkerFailure)
}

/// Tracks the requests to a worker and validates its messages.
struct Conversation {
  enum Reaction: Equatable {
    case event(WorkerEvent)
    /// Valid, but superseded by a later request.
    case stale
    /// Start a worker that has `equipment`, and send it the messages that `restart` returns.
    case restart
    /// The stream is a list of other addresses. Continue with one of them, and call `begin`.
    case list([PlaylistEntry])
    case violation(UInt32)
    case nonsense
  }

  private enum Stage { case starting, opened, playing, over }

  private var stage = Stage.starting
  /// The libraries that the worker was started with, or that its replacement needs.
  private(set) var equipment: WorkerEquipment
  private let start: Int64
  private var length: Int64?
  private var asked: UInt32 = 0
  private var askedIndex: UInt64 = 0
  private var lastSeek: EngineMessage?
  private var answered: UInt32 = 0
  private var hasEnded = false
  /// Whether a worker of the track has had enough frames ready.
  private(set) var hasBegun = false
  private var titles = StreamTitles()
  private let isStream: Bool
  private var isMeasured = false
  private var entries: [PlaylistEntry] = []
  /// Whether the worker only reports format, tags and chapters of its file.
  private let isProbe: Bool
  private var chapters: [StreamInfo.Chapter] = []

  /// Creates the state for a worker that starts at a frame.
  ///
  /// - Parameters:
  ///   - equipment: The libraries that the worker loads.
  ///   - start: First frame, at the engine's rate.
  ///   - isStream: Whether it reads a stream, which may be a list of addresses and may contain titles.
  ///   - isProbe: Whether it only reports what the file is.
  init(_ equipment: WorkerEquipment, start: Int64, isStream: Bool = false, isProbe: Bool = false) {
    self.equipment = equipment
    self.start = start
    self.isStream = isStream
    self.isProbe = isProbe
  }

  /// Resets the state for a worker on another address.
  ///
  /// - Parameter hint: The codec plugin to load first; empty for all.
  /// - Returns: The messages to send to the worker.
  mutating func begin(hint: String) -> [EngineMessage] {
    equipment.hint = hint
    titles = StreamTitles()
    entries = []
    return restart()
  }

  /// Requests a seek.
  ///
  /// - Parameters:
  ///   - position: Frame of the track, at the engine's rate.
  ///   - index: The ring index of that frame.
  /// - Returns: The generation of the seek, and the messages to send: the seek, and marks for known titles.
  mutating func seek(to position: Frames, index: UInt64) -> (generation: UInt32, messages: [EngineMessage]) {
    asked += 1
    askedIndex = index
    hasEnded = false
    let message = EngineMessage.seek(generation: asked, position: position.count, index: index)
    lastSeek = message
    titles.recall()
    return (asked, [message] + titles.offsets.map { .mark(offset: $0) })
  }

  /// Adds a title that the station gives from a byte offset on. Returns the message to send.
  mutating func note(_ title: String, at offset: UInt64) -> EngineMessage {
    titles.add(title, at: offset)
    return .mark(offset: offset)
  }

  /// Resets the state for a replacement of the worker. Returns the messages to send to it.
  mutating func restart() -> [EngineMessage] {
    stage = .starting
    isMeasured = false
    chapters = []
    answered = 0
    // The last seek supersedes all earlier requests.
    return (lastSeek.map { [$0] } ?? []) + titles.offsets.map { .mark(offset: $0) }
  }

  /// Validates a message and applies it to the state.
  ///
  /// - Parameters:
  ///   - bytes: The message.
  ///   - now: Nanoseconds of a monotonic clock.
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
      // The remaining kinds are for the engine to determine. `missing` and `away` are possible only while the
      // file is being opened.
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
      // Each need is valid once, because the replacement has the library.
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
      // The answer precedes the last seek, after which the mark was requested again.
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
      // Valid once for each worker, and a stated length must not shrink.
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

  /// The ring indexes at which a track may end after the last seek.
  var indexes: ClosedRange<UInt64> {
    let (last, isTooMuch) = askedIndex.addingReportingOverflow(UInt64(Limits.maxTrack))
    return askedIndex...(isTooMuch ? .max - 1 : last)
  }

  private func isPosition(_ position: Int64) -> Bool {
    // After a restart, a station's positions continue from the previous worker's and may exceed the stated
    // length.
    (0...(isStream ? Limits.maxTrack : length ?? Limits.maxTrack)).contains(position)
  }

  private mutating func end(_ reaction: Reaction) -> Reaction {
    stage = .over
    return reaction
  }
}
