// The sandboxed worker as the player's decoder: words of one module into words of the other. Control thread.

import AudioRing
import Decoding
import PlaybackModel
import Platform
import Player
import Streaming

/// Starts a worker process per track.
package final class WorkerDecoders: DecoderSource {
  /// Stations whose last address is remembered.
  private static let maxDropped = 8
  fileprivate let scheduler: any Scheduler
  fileprivate let rate: SampleRate
  /// Where files may be opened, asked at each.
  private let roots: () -> MediaRoots
  private let adjust: (inout WorkerRequest) -> Void
  /// Told of what is wrong with a file that plays all the same.
  package var onNote: (String) -> Void = { _ in }
  /// What takes the place of worker processes; nil, as always on a box, for processes.
  package var standIn: (any WorkerStandIn)?
  /// Runs already, for the track that is opened first.
  private var early: OpenedWorker?
  private var conditions = StreamConditions()
  /// For stations that have a list and broke off: the address that was heard.
  private var dropped: [(station: String, address: String)] = []
  /// Whether the last track that was opened has another rate than the engine: so will the next one, most likely,
  /// and its worker is not started twice.
  private var resampled = false

  /// Makes decoders.
  ///
  /// - Parameters:
  ///   - scheduler: Watches the workers, in real time even where the player's scheduler is a recording's.
  ///   - rate: The rate to decode to.
  ///   - roots: Answers the folders below which files may be opened, at each of them.
  ///   - early: A worker that runs already, for the track that is opened first.
  ///   - adjusting: Changes each request before its worker is started.
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

  /// Decoders for files anywhere.
  package convenience init(
    _ scheduler: any Scheduler, rate: SampleRate, early: OpenedWorker? = nil,
    adjusting: @escaping (inout WorkerRequest) -> Void = { _ in }
  ) {
    self.init(scheduler, rate: rate, within: { .everywhere }, early: early, adjusting: adjusting)
  }

  /// Starts a worker on a track's file. Waits neither for the worker nor for the storage: that there is no such file is an event.
  ///
  /// - Parameter position: Where decoding begins, in frames of the track at the engine's rate.
  /// - Throws: `unsupportedFormat` for a URI of no stream, `missing` for a path outside of the roots, `internal` where no process starts.
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
      // What a stream continues with is known when it has come.
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

  /// How streams are had that are opened from now on.
  package func adopt(_ conditions: StreamConditions) { self.conditions = conditions }

  /// Says that a track has ended before the length that its file states.
  fileprivate func noteEnd(of track: Track, after total: Frames) {
    guard let length = track.length else { return }
    let missing = rate.seconds(length - total).value
    guard missing > 0.5 else { return }
    onNote(
      "\(track.path) ends \(Decimal.clock(seconds: missing)) before the length that it states: it is truncated. "
        + "Copy it again from its source.")
  }

  /// A station broke off: the next try begins behind the address that was heard.
  fileprivate func noteDrop(of track: Track, at address: String) {
    dropped.removeAll { $0.station == track.path }
    if dropped.count == Self.maxDropped { dropped.removeFirst() }
    dropped.append((track.path, address))
  }

  /// Takes note of a file that was opened.
  fileprivate func learn(_ info: StreamInfo) { resampled = info.sourceRate != rate.hertz }
}

/// One worker as a decoder: it translates events, and watches the worker's socket and its deadline.
final class WorkerDecoder: TrackDecoder {
  private let worker: CodecWorker
  private var track: Track
  private let source: WorkerDecoders
  /// What an early worker has found out before it became this one's.
  private var opened: StreamInfo?
  private var fileKilobits: Int?
  var onEvents: () -> Void = {}
  /// Ends before the worker's descriptors are closed.
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

  /// Looks again when an answer is overdue: the worker is ended then, and its failure is the next event.
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
    wait()
    return events
  }

  var stationWindow: StationWindow? { worker.stationWindow(now: source.scheduler.now) }

  var kilobitsPerSecond: Int? { fileKilobits ?? worker.stationKilobitsPerSecond }

  var interruption: String? { worker.interruption }

  var receivedBytes: Int64? { worker.receivedBytes }

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
  /// Takes over what the decoder found in the file.
  fileprivate mutating func describe(_ info: StreamInfo) {
    func text(_ value: String) -> String? { value.utf8.isEmpty ? nil : value }
    let tags = info.tags
    if section == nil {
      title = text(tags.title) ?? title
      artist = text(tags.artist) ?? artist
      album = text(tags.album) ?? album
      trackNumber = tags.trackNumber ?? trackNumber
    } else {
      // The file's tags are those of the whole: whoever named the part knows better, and it has no title.
      artist = artist ?? text(tags.artist)
      album = album ?? text(tags.album)
    }
    length = info.totalFrames
    loudness = Loudness(
      trackGain: info.loudness.trackGain, trackPeak: info.loudness.trackPeak,
      albumGain: info.loudness.albumGain, albumPeak: info.loudness.albumPeak)
  }
}
