// The engine's handle on one worker process. Control thread only; no call waits for the worker.

import AudioRing
import CLinux
import Platform
import PlaybackModel
import Streaming

/// A codec worker at work on one track. When this object goes, the process goes.
///
/// Put `descriptor` into the event loop and call `takeEvents` when it is readable and when `deadline` comes.
package final class CodecWorker {
  /// The memory that the worker fills.
  package let ring: RingMemory
  var request: WorkerRequest
  var supplies: WorkerSupplies
  let descriptors: DescriptorSet
  var socket: MessageSocket
  var child: any WorkerProcess
  var conversation: Conversation
  var watchdog: Watchdog
  /// Fetches what the worker decodes, where that is a stream.
  var fetcher: Fetcher? { supplies.fetcher }
  /// The way from a stream's address to one that sounds; nil for a file.
  var search: StationSearch?
  var exitReason = ExitReason()
  /// Events that come before those of the worker.
  var owed: [WorkerEvent] = []
  var isOver = false
  var refillIndex: UInt64 = 0
  var processorTime: ProcessorAllowance
  private var buffer = [UInt8](repeating: 0, count: MessageSocket.limit)

  /// Starts a worker. Returns before it has done anything, opened its file included.
  ///
  /// - Parameters:
  ///   - now: Nanoseconds of the monotonic clock, as in all calls.
  ///   - standIn: What takes the place of a process; nil for a process.
  /// - Throws: `internalError` where no process or memory is to be had.
  package init(
    _ request: WorkerRequest, now: UInt64, standIn: (any WorkerStandIn)? = nil
  ) throws(WorkerFailure) {
    let layout = request.layout ?? RingLayout(rate: request.rate)
    let equipment = WorkerEquipment(
      hint: MusicKind.of(path: request.place.path)?.codec ?? "", hasResampler: request.expectsResampling)
    if let refusal = request.place.refusal { throw refusal }
    do throws(SystemError) {
      supplies = WorkerSupplies(
        ring: try SharedMemory.createFile(name: "swiftlet-ring", size: layout.totalBytes), standIn: standIn,
        fetcher: try request.stream.map { stream throws(SystemError) in
          try Fetcher(stream, executable: request.executable)
        })
      ring = try RingMemory(layout: layout, file: supplies.ring)
      descriptors = try DescriptorSet()
      let started = try StartedWorker(request, layout, equipment, supplies)
      child = started.process
      socket = started.socket
      try descriptors.add(socket.raw)
      try descriptors.add(child.descriptor)
      if let fetcher = supplies.fetcher { try descriptors.add(fetcher.descriptor) }
    } catch {
      throw WorkerFailure(.internalError, "No decoder process can be started: \(error.description).")
    }
    self.request = request
    search = request.stream.map { StationSearch($0.url, previous: $0.previous) }
    conversation = Conversation(
      equipment, start: request.start.count, isStream: request.stream != nil, isProbe: request.isProbe)
    watchdog = Watchdog(timeoutNanoseconds: request.timeoutNanoseconds)
    // The fetcher knows better when to give up.
    if let stream = request.stream { watchdog.longestForStorage = stream.patienceNanoseconds }
    watchdog.expect(.open, now: now)
    processorTime = ProcessorAllowance(seconds: request.limits.cpuSeconds)
  }

  /// Readable when `takeEvents` has something to do; stays the same. Never close it.
  package var descriptor: Int32 { descriptors.raw }

  /// The worker's process number, for measurements.
  package var processID: Int32 { child.pid }

  /// The address that plays, where that is one of a station's list.
  package var alternative: String? { search.flatMap { $0.hasList ? $0.current : nil } }

  /// The number of the process that fetches its stream, for tests; nil for a file.
  package var fetcherID: Int32? { fetcher?.identifier }

  /// When `takeEvents` has to be called even if nothing is readable; nil while nothing is waited for.
  package var deadline: UInt64? { owed.isEmpty ? isOver ? nil : watchdog.deadline : 0 }

  /// Takes what happened since the last call, oldest first; never waits. After `failed` there is never more, after `died` only where
  /// `restart` is called.
  package func takeEvents(now: UInt64) -> [WorkerEvent] { takeEvents(now: now, messages: 64) }

  /// The same, of a number of messages at most: the descriptor stays readable if there are more.
  func takeEvents(now: UInt64, messages: Int) -> [WorkerEvent] {
    var events = owed
    owed = []
    hearFetcher()
    if let withheld = exitReason.withheld {
      if !isOver, fetcher?.failure != nil { finish(withheld, &events, now: now) }
    } else {
      receive(&events, now: now, messages: messages)
    }
    if !isOver, exitReason.isSocketClosed, exitReason.withheld == nil, let ending = child.reap() {
      finish(
        failure(for: ending, violation: exitReason.violation, memory: request.limits.memory), &events,
        now: now
      )
    }
    switch watchdog.expected {
    case .progress? where ring.endIndex == ring.writeIndex: watchdog.satisfied()
    case .refill?, .progress?: if ring.writeIndex != refillIndex { watchdog.satisfied() }
    case .open?, .seek?, nil: break
    }
    if !isOver,
      let operation = watchdog.check(
        now: now, used: { child.processorTime }, waits: { waitsForStorage(now: now) })
    {
      finish(hang(operation, now: now), &events, now: now)
    }
    return events
  }

  /// Orders a seek. Frames behind `index` are void for the reader from now on.
  ///
  /// - Parameters:
  ///   - position: The frame of the track, at the engine's rate.
  ///   - index: The ring index at which the worker writes that frame.
  /// - Returns: The number that `seeked` carries. Answers to earlier seeks are not reported any more.
  package func seek(to position: Frames, index: UInt64, now: UInt64) -> UInt32 {
    let seek = conversation.seek(to: position, index: index)
    guard !isOver else { return seek.generation }
    child.allowCPU(seconds: processorTime.addSeek())
    watchdog.expect(.seek, now: now, used: child.processorTime ?? ProcessorTime())
    // A full queue means a worker that stopped reading: the watchdog will say so.
    for message in seek.messages { socket.send(message.bytes) }
    return seek.generation
  }

  /// Declares what is written to be the whole track, unless the worker has named a possible end. Call it when the worker has
  /// failed or died; a successor is ended. Answers the end.
  package func seal() -> UInt64 {
    stop()
    return ring.seal(within: conversation.indexes)
  }

  /// Ends the process at once. No events follow.
  package func terminate() { stop() }

  /// Asks the worker where the sound of a new title begins.
  private func hearFetcher() {
    for case .title(let offset, let title) in fetcher?.takeNews() ?? [] where !isOver {
      socket.send(conversation.note(title, at: offset).bytes)
    }
  }

  private func receive(_ events: inout [WorkerEvent], now: UInt64, messages: Int) {
    // Bounded: a worker that floods the socket says nonsense long before.
    for _ in 0..<messages where !isOver && !exitReason.isSocketClosed && exitReason.withheld == nil {
      switch socket.receive(into: &buffer) {
      case .nothing: return
      case .closed:
        // It is exiting; the kernel knows why. If it lives and only pretends, this ends it.
        exitReason.isSocketClosed = true
        descriptors.remove(socket.raw)
        child.kill()
      case .tooLong: nonsense(&events, now: now)
      case .message(let count):
        switch conversation.receive(buffer[..<count], now: now) {
        case .event(let event): deliver(event, &events, now: now)
        case .stale: break
        case .violation(let number): exitReason.violation = number
        case .restart: restart(&events, now: now)
        case .list(let entries):
          search?.take(entries)
          tryNextAddress(&events, now: now)
        case .nonsense: nonsense(&events, now: now)
        }
      }
    }
  }

  private func deliver(_ event: WorkerEvent, _ events: inout [WorkerEvent], now: UInt64) {
    switch event {
    case .opened(let info):
      // What is in the ring already is read in one form.
      if conversation.hasBegun, info.ringSamples != ring.reader.samples {
        return finish(
          WorkerFailure(.corrupt, "The file changed while it was being played."), &events, now: now)
      }
      let length = info.sourceFrames.map { Int(clamping: $0 / Int64(info.sourceRate) + 1) }
      child.allowCPU(seconds: processorTime.addTrack(seconds: length))
      if request.isProbe { watchdog.satisfied() }
      ring.adopt(info.ringSamples)
      search?.isFound = true
      var named = info
      if info.tags.title.utf8.isEmpty, let station = fetcher?.stream?.station { named.tags.title = station }
      return events.append(.opened(named))
    case .ready, .seeked: watchdog.satisfied()
    case .titled(let title, let index):
      // A track without a name is the station's. An address may hold a password, and is no name.
      let name = title.utf8.isEmpty ? fetcher?.stream?.station ?? "" : title
      return events.append(.titled(name.utf8.isEmpty ? "untitled" : name, index: index))
    case .leftOut(_, let index):
      // Sound that does not follow may be all there is.
      guard let missing = fetcher?.missing, missing > 0 else { return }
      return events.append(.leftOut(nanoseconds: missing, index: index))
    case .ended, .measured: break
    case .failed(let failure): return finish(failure, &events, now: now, isClaimed: true)
    case .died: return
    }
    events.append(event)
  }

  private func nonsense(_ events: inout [WorkerEvent], now: UInt64) {
    finish(
      WorkerFailure(
        .decoderCrashed, "The decoder process sent an invalid message and was stopped."),
      &events, now: now)
  }

  /// - Parameter isClaimed: Whether the worker itself has said so.
  private func finish(
    _ failure: WorkerFailure, _ events: inout [WorkerEvent], now: UInt64, isClaimed: Bool = false
  ) {
    // A worker whose stream has failed knows only that it cannot read. The fetcher has said why before it let the worker know.
    _ = fetcher?.takeNews()
    if let fetcher, fetcher.failure == nil, failure.kind == .unreadable {
      // It is gone, and may have closed its worker's socket first. The kernel says in a moment what it died of.
      fetcher.expectEnd()
      if fetcher.failure == nil { return withhold(failure) }
    }
    exitReason.withheld = nil
    var reason = explained(failure)
    if let found = search, found.hasList {
      if !found.isFound {
        search?.note(reason)
        return tryNextAddress(&events, now: now)
      }
      // There are others.
      if reason.kind == .refused { reason = WorkerFailure(.network, reason.sentence) }
    }
    stop()
    let isDeath = !isClaimed && reason.kind.isDeath && conversation.hasBegun
    events.append(isDeath ? .died(reason) : .failed(reason))
  }

  /// Keeps what the worker has failed with until it is known why its fetcher has ended.
  private func withhold(_ failure: WorkerFailure) {
    exitReason.withheld = failure
    descriptors.remove(socket.raw)
    descriptors.remove(child.descriptor)
  }

  func stop() {
    guard !isOver else { return }
    isOver = true
    descriptors.remove(socket.raw)
    descriptors.remove(child.descriptor)
    child.kill()
    guard let fetcher else { return }
    descriptors.remove(fetcher.descriptor)
    fetcher.terminate()
  }
}
