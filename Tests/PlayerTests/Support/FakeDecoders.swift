// Fake decoders that play, stall, fail and hang at given frames. Test threads.

import AudioRing
import Platform
import PlaybackModel
import Player
import RealtimeAudio

/// The behavior of a file.
struct FakeFile {
  enum Opening {
    case ready
    /// Opening fails immediately.
    case refused(PlaybackError.Kind)
    /// The decoder starts and then fails.
    case fails(PlaybackError.Kind)
    /// The decoder does not report until it is released.
    case waits
  }

  var frames = 20_000
  var opening = Opening.ready
  /// The frame at which the decoder fails.
  var failure: (at: Int, kind: PlaybackError.Kind)?
  /// The frame at which the decoder stalls until it is released.
  var stall: Int?
  /// Whether the file states no length, so that it becomes known at its end.
  var isUntold = false
  /// Whether a stall counts as a hang at the next check.
  var hangs = false
  /// Whether its ring has no end mark even after sealing: a worker that is being killed may write for another
  /// moment.
  var neverEnds = false
  /// The result of a seek.
  var seekFailure: PlaybackError.Kind?
  var seekWaits = false
  /// The behavior of a decoder that replaces a crashed one.
  var successor = Successor.ready

  enum Successor { case ready, waits, dies, fails }
}

/// Frame `index` of file `number`: the left sample encodes the number, the right sample the index.
func sample(_ number: Int, _ index: Int) -> (left: Float, right: Float) {
  (Float(number + 1) / 64, Float(index + 1) / 262_144)
}

final class FakeDecoders: DecoderSource {
  var files: [FakeFile]
  private let scheduler: OfflineScheduler
  /// The running decoders and the one ended last.
  private(set) var all: [FakeDecoder] = []
  /// Numbers of the opened files, in order.
  private(set) var opened: [Int] = []

  init(_ files: [FakeFile], _ scheduler: OfflineScheduler) {
    self.files = files
    self.scheduler = scheduler
  }

  func open(_ track: Track, at position: Frames) throws(PlaybackError) -> any TrackDecoder {
    guard let number = Int(track.path), files.indices.contains(number) else {
      throw PlaybackError(.missing, path: track.path)
    }
    opened.append(number)
    if case .refused(let kind) = files[number].opening { throw PlaybackError(kind, path: track.path) }
    let decoder = FakeDecoder(track, number, files[number], at: Int(position.count), scheduler)
    all.removeAll { $0.isTerminated }
    all.append(decoder)
    return decoder
  }

  /// The newest decoder of a file.
  func latest(_ number: Int) -> FakeDecoder? { all.last { $0.number == number } }

  var alive: [FakeDecoder] { all.filter { !$0.isTerminated } }
}

final class FakeDecoder: TrackDecoder {
  private struct Life {
    var isStalled: Bool
    var isDead = false
    var restarts: [(position: Int, index: UInt64)] = []
  }

  let number: Int
  private(set) var isTerminated = false
  private(set) var isRefillExpected = false
  private(set) var wakeUps = 0
  /// The start positions of replacement decoders: the track's frame and the ring index.
  var restarts: [(position: Int, index: UInt64)] { life.restarts }
  private var life: Life
  private let file: FakeFile
  private var track: Track
  var onEvents: () -> Void = {}
  private let news: DeadlineTimer
  private var pending: [DecoderEvent] = []
  private let layout: RingLayout
  private let base: UnsafeMutableRawPointer
  private var writer: RingWriter
  /// The next frame of the file to write into the ring.
  private var position: Int
  private var seekTarget: (position: Int, index: UInt64)?

  init(_ track: Track, _ number: Int, _ file: FakeFile, at position: Int, _ scheduler: OfflineScheduler) {
    self.number = number
    self.file = file
    self.track = track
    self.position = min(position, file.frames)
    life = Life(isStalled: file.stall != nil)
    // Room for the whole file and the frames kept behind the reader.
    var capacity = 4096
    while capacity < file.frames + 25_000 { capacity *= 2 }
    layout = RingLayout(capacity: capacity)
    news = DeadlineTimer(scheduler)
    base = .allocate(byteCount: layout.totalBytes, alignment: 4096)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: RingLayout.headerBytes)
    writer = RingWriter(layout: layout, base: base)
    switch file.opening {
    case .ready: begin()
    case .fails(let kind): tell(.failed(PlaybackError(kind, path: track.path)))
    case .waits, .refused: break
    }
  }

  deinit { base.deallocate() }

  private func tell(_ event: DecoderEvent) {
    pending.append(event)
    news.start(after: 0) { [unowned(unsafe) self] in onEvents() }
  }

  private func begin() {
    track.length = file.isUntold ? nil : Frames(Int64(file.frames))
    tell(.opened(track))
    tell(.ready(index: 0, position: Frames(Int64(position))))
    fill()
  }

  private func fill() {
    let failing = file.failure.map { $0.at } ?? .max
    let stalling = life.isStalled ? file.stall ?? .max : .max
    let end = life.isDead ? position : min(file.frames, failing, stalling)
    while position < end {
      let place = writer.contiguous()
      let count = min(end - position, place.count / 2)
      precondition(count > 0, "the files of these tests are shorter than the ring")
      for i in 0..<count { (place[2 * i], place[2 * i + 1]) = sample(number, position + i) }
      writer.commit(count)
      position += count
    }
    if life.isDead { return }
    if end == file.frames {
      writer.finish()
      tell(.ended(index: writer.writeIndex))
    } else if end == failing, let failure = file.failure {
      tell(.failed(PlaybackError(failure.kind, path: track.path)))
    }
  }

  /// Ends a wait or a stall.
  func release() {
    guard !isTerminated else { return }
    if case .waits = file.opening, pending.isEmpty, writer.writeIndex == 0 { return begin() }
    if let target = seekTarget {
      seekTarget = nil
      life.isDead = false
      return land(target.position, target.index)
    }
    life.isStalled = false
    fill()
  }

  /// Corrupts the write index of the ring.
  func spoil() {
    base.storeBytes(of: UInt64.max / 2, toByteOffset: RingLayout.writeIndexOffset, as: UInt64.self)
  }

  /// Advances the write index by frames that were not written.
  func pretend(_ frames: Int) {
    base.storeBytes(
      of: writer.writeIndex + UInt64(frames), toByteOffset: RingLayout.writeIndexOffset, as: UInt64.self)
  }

  /// Crashes: it writes no more.
  func die(_ kind: PlaybackError.Kind) {
    life.isDead = true
    tell(.died(PlaybackError(kind, path: track.path)))
  }

  /// Reports a failure in any state.
  func fail(_ kind: PlaybackError.Kind) { tell(.failed(PlaybackError(kind, path: track.path))) }

  /// Reports a stream title that applies from a ring index on.
  func title(_ title: String, at index: UInt64) { tell(.titled(title, index: index)) }

  /// Reports that its track has no frames, after some have been played.
  func takeBack() {
    track.length = .zero
    tell(.opened(track))
  }

  /// Ends the file at the last written frame, before its stated length.
  func truncate() {
    writer.finish()
    tell(.ended(index: writer.writeIndex))
  }

  /// Ends its track at a ring index, whatever was announced.
  func cutShort(at index: UInt64) { tell(.ended(index: index)) }

  private func land(_ target: Int, _ index: UInt64) {
    writer.restart(at: index)
    position = min(target, file.frames)
    tell(.seeked(index: index, position: Frames(Int64(position))))
    fill()
  }

  var ring: RingReader { RingReader(layout: layout, base: base) }

  func takeEvents() -> [DecoderEvent] {
    let events = isTerminated ? [] : pending
    pending = []
    return events
  }

  func seek(to position: Frames, continuingAt index: UInt64) {
    // A replacement that is not ready yet seeks instead.
    if !restarts.isEmpty { (life.isDead, life.isStalled) = (false, false) }
    if let kind = file.seekFailure { return fail(kind) }
    if file.seekWaits {
      seekTarget = (Int(position.count), index)
    } else {
      land(Int(position.count), index)
    }
  }

  func restart(at position: Frames, continuingAt index: UInt64) {
    life.restarts.append((Int(position.count), index))
    switch file.successor {
    case .ready:
      life.isDead = false
      life.isStalled = false
      land(Int(position.count), index)
    case .waits: seekTarget = (Int(position.count), index)
    case .dies: die(.decoderCrashed)
    case .fails: fail(.corrupt)
    }
  }

  func expectProgress() {
    if file.hangs { die(.decoderHung) }
  }

  func wake() { wakeUps += 1 }
  func expectRefill() {
    isRefillExpected = true
    if file.hangs { fail(.decoderHung) }
  }

  func seal() -> UInt64 {
    if file.neverEnds { return writer.writeIndex }
    writer.finish()
    return writer.writeIndex
  }

  func terminate() { isTerminated = true }
}
