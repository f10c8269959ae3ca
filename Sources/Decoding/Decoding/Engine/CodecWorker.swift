// The engine's handle on one decoding worker process. Control thread only; no call blocks on the worker.

import AudioRing
import CLinux
import Platform
import PlaybackModel
import Streaming

/// A worker process that decodes one track into a ring. Deinitialising it kills the process.
///
/// Add `descriptor` to the event loop, and call `takeEvents` when it is readable and when `deadline` passes.
package final class CodecWorker {
  /// The ring that the worker fills.
  package let ring: RingMemory
  var request: WorkerRequest
  /// The ring's shared memory file, which replacements of the worker get too.
  let ringFile: FileDescriptor
  /// Replaces the process in tests; nil for a real process.
  let standIn: (any WorkerStandIn)?
  let descriptors: DescriptorSet
  var socket: MessageSocket
  var child: any WorkerProcess
  var conversation: Conversation
  var watchdog: Watchdog
  /// The fetcher of the stream; nil for a file.
  var fetcher: Fetcher?
  /// The search through a station's addresses; nil for a file.
  var search: StationSearch?
  var exitReason = ExitReason()
  /// Events to deliver before those of the worker.
  var owed: [WorkerEvent] = []
  var isOver = false
  var refillIndex: UInt64 = 0
  var processorTime: ProcessorAllowance
  private var buffer = [UInt8](repeating: 0, count: MessageSocket.limit)

  /// Starts a worker. Returns before the worker has opened its file.
  ///
  /// - Parameters:
  ///   - request: The track and how to decode it.
  ///   - now: Nanoseconds of the monotonic clock, as in all calls.
  ///   - standIn: Replaces the process in tests; nil for a real process.
  /// - Throws: `internalError` if no process or memory is available; the place's refusal if its storage
  ///   hangs.
  package init(
    _ request: WorkerRequest, now: UInt64, standIn: (any WorkerStandIn)? = nil
  ) throws(WorkerFailure) {
    let layout = request.layout ?? RingLayout(rate: request.rate)
    let equipment = WorkerEquipment(
      hint: MusicKind.of(path: request.place.path)?.codec ?? "", hasResampler: request.expectsResampling)
    if let refusal = request.place.refusal { throw refusal }
    do throws(SystemError) {
      ringFile = try SharedMemory.createFile(name: "swiftlet-ring", size: layout.totalBytes)
      fetcher = try request.stream.map { stream throws(SystemError) in
        try Fetcher(stream, executable: request.executable)
      }
      ring = try RingMemory(layout: layout, file: ringFile)
      descriptors = try DescriptorSet()
      let started = try StartedWorker(
        request, layout, equipment, ring: ringFile, fetcher: fetcher, standIn: standIn)
      child = started.process
      socket = started.socket
      try descriptors.add(socket.raw)
      try descriptors.add(child.descriptor)
      if let fetcher { try descriptors.add(fetcher.descriptor) }
    } catch {
      throw WorkerFailure(.internalError, "No decoder process can be started: \(error.description).")
    }
    self.request = request
    self.standIn = standIn
    search = request.stream.map { StationSearch($0.url, previous: $0.previous) }
    conversation = Conversation(
      equipment, start: request.start.count, isStream: request.stream != nil, isProbe: request.isProbe)
    watchdog = Watchdog(timeoutNanoseconds: request.timeoutNanoseconds)
    // The fetcher has its own timeout.
    if let stream = request.stream { watchdog.longestForStorage = stream.patienceNanoseconds }
    watchdog.expect(.open, now: now)
    processorTime = ProcessorAllowance(seconds: request.limits.cpuSeconds)
  }

  /// Readable when `takeEvents` has work. Constant; never close it.
  package var descriptor: Int32 { descriptors.raw }

  /// Process ID of the worker, for measurements.
  package var processID: Int32 { child.pid }

  /// The address that plays, if it comes from a station's list; else nil.
  package var alternative: String? { search.flatMap { $0.hasList ? $0.current : nil } }

  /// Process ID of the fetcher, for tests; nil for a file.
  package var fetcherID: Int32? { fetcher?.identifier }

  /// When to call `takeEvents` even if nothing is readable, in monotonic nanoseconds; nil if no timeout is
  /// pending.
  package var deadline: UInt64? { owed.isEmpty ? isOver ? nil : watchdog.deadline : 0 }

  /// Returns the events since the last call, oldest first. Never blocks. No events follow `failed`; after
  /// `died` they follow only a `restart`.
  package func takeEvents(now: UInt64) -> [WorkerEvent] { takeEvents(now: now, messages: 64) }

  /// Returns events from at most `messages` messages. The descriptor stays readable if more are queued.
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

  /// Requests a seek. Frames after `index` are invalid from now on.
  ///
  /// - Parameters:
  ///   - position: Frame of the track, at the engine's rate.
  ///   - index: The ring index at which the worker writes that frame.
  ///   - now: Nanoseconds of the monotonic clock.
  /// - Returns: The generation that `seeked` will carry. Answers to earlier seeks are dropped.
  package func seek(to position: Frames, index: UInt64, now: UInt64) -> UInt32 {
    let seek = conversation.seek(to: position, index: index)
    guard !isOver else { return seek.generation }
    child.allowCPU(seconds: processorTime.addSeek())
    watchdog.expect(.seek, now: now, used: child.processorTime ?? ProcessorTime())
    // If the socket's queue is full, the worker has stopped reading, and the watchdog will report it.
    for message in seek.messages { socket.send(message.bytes) }
    return seek.generation
  }

  /// Ends the track at the last written frame, unless the worker has set a valid end. Call after the worker
  /// failed or died. Stops a successor.
  ///
  /// - Returns: The ring index of the end.
  package func seal() -> UInt64 {
    stop()
    return ring.seal(within: conversation.indexes)
  }

  /// Kills the process. No events follow.
  package func terminate() { stop() }

  /// Sends a `mark` request for each new title from the fetcher.
  private func hearFetcher() {
    for case .title(let offset, let title) in fetcher?.takeNews() ?? [] where !isOver {
      socket.send(conversation.note(title, at: offset).bytes)
    }
  }

  private func receive(_ events: inout [WorkerEvent], now: UInt64, messages: Int) {
    // Bounded; a worker that floods the socket is stopped for an invalid message long before.
    for _ in 0..<messages where !isOver && !exitReason.isSocketClosed && exitReason.withheld == nil {
      switch socket.receive(into: &buffer) {
      case .nothing: return
      case .closed:
        // The process is exiting, and its exit status gives the reason. The kill covers a process that
        // only closed its socket.
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
      // Frames already in the ring are read in one sample format, so a successor must not use another.
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
      // A track without a title gets the station's name. The URL is not used, because it may contain a
      // password.
      let name = title.utf8.isEmpty ? fetcher?.stream?.station ?? "" : title
      return events.append(.titled(name.utf8.isEmpty ? "untitled" : name, index: index))
    case .leftOut(_, let index):
      // A discontinuity without missing bytes is not reported: the frames before it may be all that was lost.
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

  /// - Parameter isClaimed: Whether the worker reported the failure itself.
  private func finish(
    _ failure: WorkerFailure, _ events: inout [WorkerEvent], now: UInt64, isClaimed: Bool = false
  ) {
    // A worker whose fetcher failed sees only a read error. The fetcher reported the cause before.
    _ = fetcher?.takeNews()
    if let fetcher, fetcher.failure == nil, failure.kind == .unreadable {
      // The fetcher is dead and its socket may have closed after the worker's. Its exit status arrives
      // shortly.
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
      // Other addresses of the list may still work.
      if reason.kind == .refused { reason = WorkerFailure(.network, reason.sentence) }
    }
    stop()
    let isDeath = !isClaimed && reason.kind.isDeath && conversation.hasBegun
    events.append(isDeath ? .died(reason) : .failed(reason))
  }

  /// Holds back the worker's failure until the fetcher's exit status is known.
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
