// The main loop of a decoding worker: fills the ring, sleeps while it is full, and carries out seeks. One
// thread.

import AudioRing
import Platform
import PlaybackModel
import Streaming

/// Decodes one track into one ring until the engine closes the socket.
struct WorkerLoop: ~Copyable {
  /// Milliseconds of audio in the ring before a file's track is reported as ready.
  private static let prefillMilliseconds = 300
  /// Milliseconds of audio retained in an empty ring, for rewinding and the device's queue.
  private static let keptMilliseconds = 1600
  /// Maximum number of frames decoded at once.
  private static let chunk = 8192

  private enum Phase { case filling, resting, ended }

  /// The audio since the last seek: the seek's generation, and the ring index and track frame at which it
  /// began.
  private struct Stretch {
    var generation: UInt32 = 0
    var index: UInt64 = 0
    var position: Int64
  }

  private let pipeline: SectionPipeline
  private var ring: RingWriter
  private var pacing: Pacing
  private let prefill: Int
  private let filler: RingFiller
  private var rate: Int { pipeline.engineRate }
  /// The stream; nil for a file.
  private let stream: SpoolReader?
  /// Whether frames are held back from a reader that has run dry, until there are enough to resume.
  private var isHolding = false
  private var phase = Phase.filling
  /// Milliseconds for which the reader has not moved.
  private var standstill: Int32 = 0
  private var isAnnounced = false
  private var stretch: Stretch
  private var marks = StreamMarks()
  private let orders = EngineOrders(socket: Sandbox.socket)
  /// Answered marks that have not been sent to the engine.
  private var passed: [StreamMarks.Passed] = []
  /// Time shift of a station; nil for other sources.
  var shift: StationShift?
  /// The survey that counts a file's frames, and the function that returns the track's length afterwards; nil
  /// if nothing is counted.
  var survey: (work: FileSurvey, finish: () -> Frames?)?

  /// Creates the loop.
  ///
  /// - Parameters:
  ///   - pipeline: Produces the track's frames.
  ///   - ring: Receives them.
  ///   - capacity: Size of the ring in frames.
  ///   - source: The file or stream.
  ///   - mark: Milliseconds of a stream's audio to buffer at the start and after an underrun, to avoid
  ///     another underrun soon after.
  init(
    pipeline: SectionPipeline, ring: consuming RingWriter, capacity: Int, source: MediaSource, mark: Int
  ) {
    let rate = pipeline.engineRate
    if case .stream(let spool) = source { stream = spool } else { stream = nil }
    self.pipeline = pipeline
    filler = RingFiller(pipeline, ring.samples)
    self.ring = ring
    pacing = Pacing(capacity: capacity, rate: rate)
    prefill = min(
      rate * (stream == nil ? Self.prefillMilliseconds : mark) / 1000, capacity / 2)
    stretch = Stretch(position: pipeline.position)
  }

  /// Runs until the engine closes the socket, or until decoding fails and the failure has been sent.
  mutating func run(_ socket: borrowing MessageSocket) {
    // Lets a seek within a station's window interrupt the wait for new bytes.
    if shift != nil {
      let orders = orders
      stream?.distraction = (
        socket.raw,
        {
          orders.receive()
          return orders.isUrgent
        }
      )
    }
    do {
      while try takeMessages() {
        switch phase {
        case .filling: try fill(socket)
        case .resting: rest(socket)
        case .ended: _ = socket.wait(milliseconds: -1)
        }
      }
    } catch {
      // The decoded frames remain playable. A file ends there; for a stream the engine decides, because it
      // may start a replacement.
      if stream == nil { end() } else { release() }
      socket.send(WorkerMessage.failed(error).bytes, waiting: true)
    }
  }

  /// Decodes into the ring's free space. Returns nil if a request interrupted the wait for a station's bytes.
  private func produce(_ limit: Int) throws(WorkerFailure) -> Int? {
    do throws(WorkerFailure) {
      let count = try filler.fill(ring, limit: limit)
      return count == 0 && shift != nil && orders.isUrgent ? nil : count
    } catch {
      guard shift != nil, orders.isUrgent else { throw error }
      return nil
    }
  }

  private mutating func fill(_ socket: borrowing MessageSocket) throws(WorkerFailure) {
    guard ring.room > 0 else {
      announce(socket)
      phase = .resting
      return
    }
    let limit = isAnnounced ? Self.chunk : min(Self.chunk, prefill)
    if isHolding, ring.unpublished >= prefill || ring.free <= Self.chunk { isHolding = false }
    let before = ring.writeIndex
    let position = pipeline.position
    guard let count = try produce(limit) else { return }
    if let stream {
      shift?.note(position: position)
      passed += marks.note(read: stream.latest, index: before)
      if isAnnounced || stretch.generation == 0 { tellNames(socket) }
    }
    if count > 0 {
      ring.advance(count)
      orders.note(made: count)
      if isHolding { return }
      ring.publish()
      stream?.noteProgress()
      if ring.writeIndex &- stretch.index >= UInt64(prefill) { announce(socket) }
      return
    }
    end()
    announce(socket)
    passed += marks.finish()
    tellNames(socket)
    phase = .ended
    // The length is known from decoding.
    survey = nil
    let total = pipeline.position
    let message = WorkerMessage.ended(generation: stretch.generation, index: ring.writeIndex, total: total)
    socket.send(message.bytes, waiting: true)
  }

  /// Sends titles, answered marks and discontinuities. After a seek, waits for the `seeked` message,
  /// because the engine would assign them to earlier audio.
  private mutating func tellNames(_ socket: borrowing MessageSocket) {
    for mark in passed {
      socket.send(WorkerMessage.passed(offset: mark.offset, index: mark.index).bytes, waiting: true)
    }
    passed = []
    // The titles of a chained stream.
    for name in pipeline.takeNames() {
      socket.send(WorkerMessage.named(index: index(of: name.position), name.title).bytes, waiting: true)
    }
    for seam in pipeline.takeSeams() {
      socket.send(WorkerMessage.seam(index: index(of: seam)).bytes, waiting: true)
    }
  }

  private func index(of position: Int64) -> UInt64 {
    stretch.index &+ UInt64(max(0, position - stretch.position))
  }

  /// Starts to hold back frames, if the reader has run dry and too few have been decoded since.
  private mutating func holdIfDry() {
    let kept = Int64(bitPattern: ring.writeIndex &- ring.retainIndex)
    guard stream != nil, isAnnounced, phase == .filling, kept < Int64(rate * Self.keptMilliseconds / 1000)
    else {
      return
    }
    isHolding = true
  }

  private mutating func end() {
    release()
    ring.finish()
  }

  /// Publishes the frames that were held back.
  private mutating func release() {
    if isHolding { ring.publish() }
    isHolding = false
  }

  private mutating func announce(_ socket: borrowing MessageSocket) {
    if isAnnounced { return }
    isAnnounced = true
    let message: WorkerMessage =
      stretch.generation == 0
      ? .ready(index: stretch.index, position: stretch.position)
      : .seeked(generation: stretch.generation, index: stretch.index, position: stretch.position)
    socket.send(message.bytes, waiting: true)
    tellNames(socket)
  }

  /// Sleeps until the reader has freed enough of the ring, or without limit if it has not moved for so long
  /// that it must be paused.
  private mutating func rest(_ socket: borrowing MessageSocket) {
    if ring.free >= pacing.threshold {
      pacing.noteFilling(free: ring.free)
      standstill = 0
      phase = .filling
      return
    }
    guard !measure(socket) else { return }
    let before = ring.retainIndex
    let wait = pacing.milliseconds(free: ring.free)
    guard !socket.wait(milliseconds: wait), ring.retainIndex == before else { return standstill = 0 }
    standstill += wait
    guard standstill > pacing.standstillMilliseconds else { return }
    _ = socket.wait(milliseconds: -1)
    standstill = 0
  }

  /// Milliseconds between two steps of the survey, to leave storage bandwidth to others.
  private static let surveyPause: Int32 = 5

  /// Runs one step of the survey, and sends the track's length when it is complete. Returns false if there is
  /// no survey.
  private mutating func measure(_ socket: borrowing MessageSocket) -> Bool {
    guard let (work, finish) = survey else { return false }
    switch work.work(bytes: FileSurvey.step) {
    case .running: _ = socket.wait(milliseconds: Self.surveyPause)
    case .done:
      survey = nil
      guard let length = finish() else { return true }
      socket.send(WorkerMessage.measured(total: length.count).bytes, waiting: true)
    case .failed: survey = nil
    }
    return true
  }

  /// Carries out the engine's requests. Of several seeks only the last counts. Returns false if the engine
  /// has closed the socket.
  private mutating func takeMessages() throws(WorkerFailure) -> Bool {
    if phase != .filling || stream != nil || orders.isLookDue { orders.receive() }
    guard !orders.isClosed else { return false }
    while let seek = orders.takeSeek() {
      stretch.generation = seek.generation
      isHolding = false
      marks = StreamMarks()
      passed = []
      marks.restart()
      ring.restart(at: seek.index)
      do throws(WorkerFailure) {
        if let shift { try shift.go(to: seek.position) } else { try pipeline.seek(to: seek.position) }
      } catch {
        // Another seek interrupted this one.
        guard shift != nil, orders.isUrgent else { throw error }
        if orders.isClosed { return false }
        continue
      }
      (stretch.index, stretch.position) = (seek.index, pipeline.position)
      (isAnnounced, phase) = (false, .filling)
    }
    for offset in orders.takeMarks() { marks.ask(offset) }
    if orders.takeRefill() { holdIfDry() }
    // A recorder does not read before new frames are published, so refill although little of the ring is
    // free.
    if orders.takeWake(), phase == .resting, ring.room > 0 { phase = .filling }
    return true
  }
}
