// The worker's steady state: keeps the ring full, sleeps as long as it may, answers seeks. One thread.

import AudioRing
import Platform
import PlaybackModel
import Streaming

/// Decodes one track into one ring until the engine closes the socket.
struct WorkerLoop: ~Copyable {
  /// Seconds of sound that must lie in the ring before the track is called ready, in parts of 1000.
  private static let prefillMilliseconds = 300
  /// What lies in the ring of a reader that has nothing left, for the sake of rewinding and of the device's queue.
  private static let keptMilliseconds = 1600
  /// Frames that are made at once, at most.
  private static let chunk = 8192

  private enum Phase { case filling, resting, ended }

  /// The sound since the last seek: the seek's number, and the ring index and frame of the track that it began with.
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
  /// Where the sound comes from, if that is a stream.
  private let stream: SpoolReader?
  /// Whether the reader, which has run dry, gets nothing until there is enough to go on with.
  private var isHolding = false
  private var phase = Phase.filling
  /// For how many milliseconds the reader has not moved.
  private var standstill: Int32 = 0
  private var isAnnounced = false
  private var stretch: Stretch
  private var marks = StreamMarks()
  private let orders = EngineOrders(socket: Sandbox.socket)
  /// Marks whose sound is made, until the engine is told.
  private var passed: [StreamMarks.Passed] = []
  /// Goes back and forth in a station; nil for what is none.
  var shift: StationShift?
  /// What counts the frames of a file beside its decoding, and the track's length once that is done; nil where nothing is counted.
  var survey: (work: FileSurvey, finish: () -> Frames?)?

  /// - Parameter mark: Milliseconds of a stream's sound before it begins, also after its ring ran dry: who starts with less soon
  ///   stops again.
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

  /// Runs until the engine is gone (returns) or decoding fails (reported, then returns).
  mutating func run(_ socket: borrowing MessageSocket) {
    // What is there of a station can be gone to while nothing comes of it.
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
      // What was decoded so far can still be heard. A file ends there; whether a stream does, the engine has to say: a reader that comes to
      // an end has nothing to wait for.
      if stream == nil { end() } else { release() }
      socket.send(WorkerMessage.failed(error).bytes, waiting: true)
    }
  }

  /// Decodes into free space of the ring. Whoever was called away while bytes of a station were waited for has made nothing: nil.
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
    // All frames were heard of: the total is what they are.
    survey = nil
    let total = pipeline.position
    let message = WorkerMessage.ended(generation: stretch.generation, index: ring.writeIndex, total: total)
    socket.send(message.bytes, waiting: true)
  }

  /// Says which sound is called how. After a seek not before the engine knows of it: it would take it for what was before.
  private mutating func tellNames(_ socket: borrowing MessageSocket) {
    for mark in passed {
      socket.send(WorkerMessage.passed(offset: mark.offset, index: mark.index).bytes, waiting: true)
    }
    passed = []
    // A chained stream's tracks have names of their own.
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

  /// The reader has run dry, and what came since is not enough either.
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

  /// Gives the reader what was held back.
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

  /// Sleeps for as long as the reader needs to free what is filled at once; for ever, that is until a message,
  /// if it has not moved at all for so long that it must stand still.
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

  /// Milliseconds between two pieces of a survey: half of the storage's time is for others.
  private static let surveyPause: Int32 = 5

  /// Counts frames for a while, if any are to be counted, and says how many the track has once all are. False where nothing was done.
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

  /// Acts on what the engine sent; of several seeks only on the last. False when the engine is gone.
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
        // Called away, to go elsewhere.
        guard shift != nil, orders.isUrgent else { throw error }
        if orders.isClosed { return false }
        continue
      }
      (stretch.index, stretch.position) = (seek.index, pipeline.position)
      (isAnnounced, phase) = (false, .filling)
    }
    for offset in orders.takeMarks() { marks.ask(offset) }
    if orders.takeRefill() { holdIfDry() }
    // Whoever waits for a recording's frames does not move before they come, however little is free for them.
    if orders.takeWake(), phase == .resting, ring.room > 0 { phase = .filling }
    return true
  }
}
