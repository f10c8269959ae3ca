// Connects sandboxed decoder processes to the player's decoder interface. Control thread.

import AudioRing
import Decoding
import PlaybackModel
import Platform
import Player
import Streaming

/// Starts a decoder process for each track.
package final class WorkerDecoders: DecoderSource {
  /// Maximum number of streams whose last address is remembered.
  private static let maxDropped = 8
  fileprivate let scheduler: any Scheduler
  fileprivate let rate: SampleRate
  /// Returns the folders from which files may be opened.
  private let roots: () -> MediaRoots
  private let adjust: (inout WorkerRequest) -> Void
  /// Called with warnings about files that are still playable.
  package var onNote: (String) -> Void = { _ in }
  /// Replaces decoder processes in tests; nil in production.
  package var standIn: (any WorkerStandIn)?
  /// A decoder process that was started in advance for the first track.
  private var early: OpenedWorker?
  private var conditions = StreamConditions()
  /// The last address of streams with several addresses whose connection was lost.
  private var dropped: [(station: String, address: String)] = []
  /// Whether the last opened track had another sample rate than the engine. The next one probably does, too; preparing
  /// for it avoids starting its worker twice.
  private var resampled = false

  /// Creates a decoder source.
  ///
  /// - Parameters:
  ///   - scheduler: Event loop that watches the workers, in real time even if the player's scheduler is that of a
  ///     recording.
  ///   - rate: Sample rate to decode to.
  ///   - roots: Returns the folders from which files may be opened; called for each file.
  ///   - early: A worker that was started in advance for the first track.
  ///   - adjusting: Modifies each request before its worker is started.
  package init(
    _ scheduler: any Scheduler, rate: SampleRate, within roots: @escaping () -> MediaRoots,
    early: OpenedWorker? = nil,
    adjusting: @escaping (inout WorkerRequest) -> Void = { _ in }
  ) {
    self.scheduler = scheduler
    self.rate = rate
    self.roots = roots
    self.early = early
    adjust = adjusting
  }

  /// Creates a decoder source for files in any folder.
  package convenience init(
    _ scheduler: any Scheduler, rate: SampleRate, early: OpenedWorker? = nil,
    adjusting: @escaping (inout WorkerRequest) -> Void = { _ in }
  ) {
    self.init(scheduler, rate: rate, within: { .everywhere }, early: early, adjusting: adjusting)
  }

  /// Starts a worker for a track. Does not wait for the worker or the storage: a missing file is reported as an event.
  ///
  /// - Parameters:
  ///   - track: The track.
  ///   - position: Start of decoding, in frames of the track at the engine's rate.
  /// - Returns: The decoder.
  /// - Throws: `unsupportedFormat` for an unsupported URI, `missing` for a path outside the roots, `internal` if no
  ///   process can be started.
  package func open(_ track: Track, at position: Frames) throws(PlaybackError) -> any TrackDecoder {
    let isStream = MediaList.isStream(track.path)
    guard isStream || !track.path.isURI else {
      throw PlaybackError(.unsupportedFormat, path: track.path, detail: "there is no transport for it")
    }
    if let early {
      self.early = nil
      if early.path == track.path, track.section == nil, position == .zero,
        let worker = early.takeWorker(at: rate)
      {
        do throws(WorkerFailure) {
          return try WorkerDecoder(worker, track: track, source: self, opened: early.info)
        } catch {
          throw PlaybackError(error, path: track.path)
        }
      }
      early.terminate()
      learn(early.info)
    }
    do throws(WorkerFailure) {
      var request = WorkerRequest(path: track.path, rate: rate)
      if !isStream {
        guard let place = roots().place(of: track.path) else { throw .outsideRoots }
        request = WorkerRequest(place, rate: rate)
      }
      request.start = position
      request.section = track.section
      // A stream's sample rate may change at any time.
      request.expectsResampling = resampled || isStream
      if let drop = dropped.first(where: { $0.station == track.path }) {
        request.stream?.previous = drop.address
      }
      request.stream?.adopt(conditions)
      adjust(&request)
      let worker = try CodecWorker(request, now: scheduler.now, standIn: standIn)
      return try WorkerDecoder(worker, track: track, source: self)
    } catch {
      throw PlaybackError(error, path: track.path)
    }
  }

  /// Sets the conditions for streams that are opened from now on.
  package func adopt(_ conditions: StreamConditions) { self.conditions = conditions }

  /// Warns if a track ended before the length stated in its file.
  fileprivate func noteEnd(of track: Track, after total: Frames) {
    guard let length = track.length else { return }
    let missing = rate.seconds(length - total).value
    guard missing > 0.5 else { return }
    onNote(
      "\(track.path) ends \(Decimal.clock(seconds: missing)) before the length that it states: it is truncated. "
        + "Copy it again from its source.")
  }

  /// Reports an interruption that a first attempt to reconnect has not ended.
  fileprivate func noteOutage(of track: Track, _ reason: String) {
    onNote("\(track.displayName) is interrupted: \(reason) Trying to reconnect.")
  }

  /// Records the address of a lost stream; the next attempt starts with the following address.
  fileprivate func noteDrop(of track: Track, at address: String) {
    dropped.removeAll { $0.station == track.path }
    if dropped.count == Self.maxDropped { dropped.removeFirst() }
    dropped.append((track.path, address))
  }

  /// Records the sample rate of an opened file.
  fileprivate func learn(_ info: StreamInfo) { resampled = info.sourceRate != rate.hertz }
}

/// A worker as a decoder: translates its events and watches its socket and deadline.
final class WorkerDecoder: TrackDecoder {
  private let worker: CodecWorker
  private var track: Track
  private let source: WorkerDecoders
  /// Result of a worker that was started in advance, until it is reported.
  private var opened: StreamInfo?
  private var fileKilobits: Int?
  var onEvents: () -> Void = {}
  /// Must end before the worker's descriptors are closed.
  private var watch: DescriptorWatch?
  private let deadlineTimer: DeadlineTimer

  init(
    _ worker: CodecWorker, track: Track, source: WorkerDecoders, opened: StreamInfo? = nil
  ) throws(WorkerFailure) {
    self.worker = worker
    self.track = track
    self.source = source
    self.opened = opened
    deadlineTimer = DeadlineTimer(source.scheduler)
    do throws(SystemError) {
      watch = try DescriptorWatch(source.scheduler, readable: worker.descriptor) { [unowned(unsafe) self] in
        onEvents()
      }
    } catch {
      worker.terminate()
      throw WorkerFailure(.internalError, "The decoder process cannot be listened to: \(error.description).")
    }
    if opened != nil {
      deadlineTimer.start(after: 0) { [unowned(unsafe) self] in onEvents() }
    } else {
      wait()
    }
  }

  deinit { watch = nil }

  /// Restarts the timer for the worker's deadline. If it expires, the worker is ended and its failure is the next
  /// event.
  private func wait() {
    guard let deadline = worker.deadline else { return deadlineTimer.stop() }
    deadlineTimer.start(at: deadline) { [unowned(unsafe) self] in onEvents() }
  }

  var ring: RingReader { worker.ring.reader }

  func retryNow() { worker.retryNow() }

  private func describe(_ info: StreamInfo) {
    fileKilobits = info.kilobitsPerSecond
    track.describe(info)
  }

  func takeEvents() -> [DecoderEvent] {
    var events: [DecoderEvent] = []
    if let info = opened {
      opened = nil
      describe(info)
      events.append(.opened(track))
    }
    for event in worker.takeEvents(now: source.scheduler.now) {
      switch event {
      case .opened(let info):
        source.learn(info)
        describe(info)
        events.append(.opened(track))
      case .measured(let length):
        track.length = length
        events.append(.measured(track))
      case .ready(let position, let index): events.append(.ready(index: index, position: position))
      case .seeked(_, let position, let index): events.append(.seeked(index: index, position: position))
      case .ended(let total, let index):
        source.noteEnd(of: track, after: total)
        events.append(.ended(index: index))
      case .titled(let title, let index): events.append(.titled(title, index: index))
      case .leftOut(let nanoseconds, _): events.append(.leftOut(Seconds(Double(nanoseconds) / 1e9)))
      case .died(let failure): events.append(.died(PlaybackError(failure, path: track.path)))
      case .failed(let failure):
        if let address = worker.alternative { source.noteDrop(of: track, at: address) }
        events.append(.failed(PlaybackError(failure, path: track.path)))
      }
    }
    if let reason = worker.takeOutage() { source.noteOutage(of: track, reason) }
    wait()
    return events
  }

  var stationWindow: StationWindow? { worker.stationWindow(now: source.scheduler.now) }

  var kilobitsPerSecond: Int? { fileKilobits ?? worker.stationKilobitsPerSecond }

  var interruption: String? { worker.interruption }

  var receivedBytes: Int64? { worker.receivedBytes }

  var isStreamedFile: Bool { worker.isStreamedFile }

  func seek(to position: Frames, continuingAt index: UInt64) {
    _ = worker.seek(to: position, index: index, now: source.scheduler.now)
    wait()
  }

  func restart(at position: Frames, continuingAt index: UInt64) {
    worker.restart(at: position, index: index, now: source.scheduler.now)
    wait()
  }

  func expectProgress() {
    worker.expectProgress(now: source.scheduler.now)
    wait()
  }

  func wake() { worker.wake() }

  func expectRefill() {
    worker.expectRefill(now: source.scheduler.now)
    wait()
  }

  func seal() -> UInt64 { worker.seal() }

  func terminate() {
    watch = nil
    deadlineTimer.stop()
    worker.terminate()
  }
}

extension StreamRequest {
  fileprivate mutating func adopt(_ conditions: StreamConditions) {
    let milliseconds = UInt32(clamping: Int(conditions.timeout.value * 1000))
    window = conditions.window
    startMilliseconds = Int(conditions.start.value * 1000)
    connectMilliseconds = milliseconds
    stallMilliseconds = milliseconds
    proxy = conditions.proxy
    allowsPrivateRedirects = conditions.allowsPrivateRedirects
  }
}

extension Track {
  /// Updates the track with the decoder's information about the file.
  fileprivate mutating func describe(_ info: StreamInfo) {
    func text(_ value: String) -> String? { value.utf8.isEmpty ? nil : value }
    let tags = info.tags
    if section == nil {
      title = text(tags.title) ?? title
      artist = text(tags.artist) ?? artist
      album = text(tags.album) ?? album
      trackNumber = tags.trackNumber ?? trackNumber
    } else {
      // The file's tags describe the whole file; the section's own tags take precedence, and its title is not replaced.
      artist = artist ?? text(tags.artist)
      album = album ?? text(tags.album)
    }
    length = info.totalFrames
    loudness = Loudness(
      trackGain: info.loudness.trackGain, trackPeak: info.loudness.trackPeak,
      albumGain: info.loudness.albumGain, albumPeak: info.loudness.albumPeak)
  }
}
