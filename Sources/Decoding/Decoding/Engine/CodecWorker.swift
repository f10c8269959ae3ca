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
  private var request: WorkerRequest
  /// The ring's shared memory file, which replacements of the worker get too.
  private let ringFile: FileDescriptor
  /// Replaces the process in tests; nil for a real process.
  private let standIn: (any WorkerStandIn)?
  private let descriptors: DescriptorSet
  private var socket: MessageSocket
  private var child: any WorkerProcess
  private var conversation: Conversation
  private var watchdog: Watchdog
  /// The fetcher of the stream; nil for a file.
  private var fetcher: Fetcher?
  /// The search through a station's addresses; nil for a file.
  private var search: StationSearch?
  private var exitReason = ExitReason()
  /// Events to deliver before those of the worker.
  private var owed: [WorkerEvent] = []
  private var isOver = false
  private var refillIndex: UInt64 = 0
  private var processorTime: ProcessorAllowance
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
      // The fetcher has sent its message before the decoder could meet the discontinuity.
      hearFetcher()
      guard let missing = fetcher?.takeMissing(), missing > 0 else { return }
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

  private func stop() {
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

// MARK: Expectations and hanging workers

extension CodecWorker {
  /// Wakes the worker. Call whenever the deck starts or resumes: a worker whose ring stays full and unread
  /// for some seconds sleeps until then.
  package func wake() {
    if !isOver { socket.send(EngineMessage.wake.bytes) }
  }

  /// Notes an underrun: the ring is empty before the end. The worker counts as hung if it writes nothing
  /// within `timeoutNanoseconds`.
  package func expectRefill(now: UInt64) {
    guard !isOver else { return }
    let index = ring.writeIndex
    switch watchdog.expected {
    case .open?, .seek?: return
    // A second underrun after new frames restarts the timeout.
    case .refill? where index == refillIndex: break
    case .refill?, .progress?, nil:
      refillIndex = index
      watchdog.expect(.refill, now: now, used: child.processorTime ?? ProcessorTime())
    }
    socket.send(EngineMessage.refill.bytes)
  }

  /// Notes that the ring, which was full, runs low. A worker that writes nothing for
  /// `Watchdog.progressTimeout` counts as hung.
  ///
  /// If storage or CPU load delays the worker, the ring may run dry instead, and `expectRefill` decides.
  package func expectProgress(now: UInt64) {
    guard !isOver, watchdog.expected == nil else { return }
    refillIndex = ring.writeIndex
    watchdog.expect(.progress, now: now, used: child.processorTime ?? ProcessorTime())
    // The worker may be asleep although its ring runs low.
    wake()
  }

  /// Whether the worker is blocked on its storage.
  ///
  /// The kernel's process state is not sufficient, because waits for FUSE and automounts are interruptible.
  /// The worker's own report is untrusted, but a false one only prolongs the timeout.
  private func waitsForStorage(now: UInt64) -> Bool {
    ring.reader.storageWaits.present(now: now) > 0 || child.waitsForStorage
  }

  private func hang(_ operation: Watchdog.Operation, now: UInt64) -> WorkerFailure {
    if waitsForStorage(now: now) {
      if request.stream != nil { return WorkerFailure(.network, "Nothing comes from the network.") }
      return WorkerFailure(
        .unreadable,
        "The storage has not answered for \(watchdog.longestForStorage / 1_000_000_000) s; check it, its cable or its network."
      )
    }
    if operation == .progress {
      return WorkerFailure(
        .decoderHung, "The decoder made no progress while its buffer ran low, and was stopped.")
    }
    return WorkerFailure(
      .decoderHung,
      "The decoder made no progress in \(request.timeoutNanoseconds / 1_000_000_000) s of \(operation.rawValue) "
        + "and was stopped.")
  }
}

// MARK: Replacing the process

extension CodecWorker {
  /// Continues with the station's next address in the same ring. Reports the failure if all have been tried.
  private func tryNextAddress(_ events: inout [WorkerEvent], now: UInt64) {
    guard let url = search?.next() else {
      stop()
      if let search { events.append(.failed(search.failure)) }
      return
    }
    if let fetcher {
      // An address in a server's list must not reach more local networks than the server itself.
      if let reach = fetcher.stream?.reach {
        let least = request.stream?.leastReach ?? reach
        request.stream?.leastReach = max(least, reach)
      }
      descriptors.remove(fetcher.descriptor)
      fetcher.terminate()
    }
    request.turn(to: url)
    if let search, search.hasAlternatives, let limit = request.stream?.giveUpMilliseconds {
      request.stream?.giveUpMilliseconds = min(limit, StationSearch.giveUpMilliseconds)
    }
    let messages = conversation.begin(hint: MusicKind.of(path: request.place.path)?.codec ?? "")
    replace(messages, &events, now: now) { () throws(SystemError) in
      fetcher = try request.stream.map { stream throws(SystemError) in
        try Fetcher(stream, executable: request.executable)
      }
      if let fetcher { try descriptors.add(fetcher.descriptor) }
    }
  }

  /// Replaces the process by one with the libraries that this one lacked.
  private func restart(_ events: inout [WorkerEvent], now: UInt64) {
    replace(conversation.restart(), &events, now: now) {}
  }

  /// Starts a successor of a worker that died, writing to the same ring. A station's stream is joined again
  /// live, and its position continues from `position`.
  ///
  /// - Parameters:
  ///   - position: First frame of the successor, at the engine's rate.
  ///   - index: The ring index of that frame. Earlier frames stay valid.
  ///   - now: Nanoseconds of the monotonic clock.
  /// - Returns: The generation that `seeked` will carry. If no process can be started, the event `failed`
  ///   follows.
  @discardableResult
  package func restart(at position: Frames, index: UInt64, now: UInt64) -> UInt32 {
    let seek = conversation.seek(to: position, index: index)
    guard isOver else { return seek.generation }
    isOver = false
    request.start = position
    processorTime = ProcessorAllowance(seconds: request.limits.cpuSeconds)
    let messages =
      request.stream == nil ? conversation.restart() : conversation.begin(hint: conversation.equipment.hint)
    ring.reader.stationPlace.clear()
    replace(messages, &owed, now: now) { () throws(SystemError) in
      fetcher = try request.stream.map { stream throws(SystemError) in
        try Fetcher(stream, executable: request.executable)
      }
      if let fetcher { try descriptors.add(fetcher.descriptor) }
    }
    return seek.generation
  }

  /// Replaces the process.
  ///
  /// - Parameters:
  ///   - messages: Sent to the new process first.
  ///   - prepare: Runs after the old process is killed and before the new one starts.
  private func replace(
    _ messages: [EngineMessage], _ events: inout [WorkerEvent], now: UInt64,
    after prepare: () throws(SystemError) -> Void
  ) {
    if !exitReason.isSocketClosed { descriptors.remove(socket.raw) }
    descriptors.remove(child.descriptor)
    child.kill()
    exitReason = ExitReason()
    if let refusal = request.place.refusal {
      isOver = true
      events.append(.failed(refusal))
      return
    }
    do throws(SystemError) {
      try prepare()
      let started = try StartedWorker(
        request, ring.layout, conversation.equipment, ring: ringFile, fetcher: fetcher, standIn: standIn,
        messages)
      child = started.process
      socket = started.socket
      try descriptors.add(socket.raw)
      try descriptors.add(child.descriptor)
    } catch {
      isOver = true
      events.append(
        .failed(
          WorkerFailure(.internalError, "No decoder process can be started: \(error.description).")))
      return
    }
    watchdog.expect(.open, now: now)
  }
}

// MARK: A station's window

extension CodecWorker {
  /// The range of a station that can be seeked to, and how far playback lags behind live. Nil for a file, and
  /// before the first audio.
  package func stationWindow(now: UInt64) -> StationWindow? {
    guard !isOver, let holding = fetcher?.holding, let place = ring.reader.stationPlace.point else {
      return nil
    }
    let newest = place.position(of: holding.bytes.upperBound)
    var lag = 0.0
    if let begun = holding.lag, now > begun.since {
      let came = newest - place.position(of: begun.end)
      lag = Double(now - begun.since) / 1e9 * Double(request.rate.hertz) - Double(came)
    }
    return StationWindow(
      oldest: Frames(place.position(of: holding.bytes.lowerBound)), newest: Frames(newest),
      lag: Frames(Int64(max(0, min(lag, Double(Limits.maxTrack))))))
  }

  /// Average bit rate of the station in kbit/s, from what has been decoded; nil for a file, and while it is
  /// unknown.
  package var stationKilobitsPerSecond: Int? {
    guard !isOver, fetcher?.holding != nil, let place = ring.reader.stationPlace.point else { return nil }
    // The pace of a valid point has at most 32 bits.
    return Int(exactly: (Double(place.pace) * 8 * Double(request.rate.hertz) / 1e9).rounded())
  }

  /// Bytes received of the stream; nil for a file.
  package var receivedBytes: Int64? { isOver ? nil : fetcher?.received }

  /// Whether the server has stated the size of the stream in bytes; false for a station and for a local file.
  package var isStreamedFile: Bool { fetcher?.stream?.length != nil }

  /// Reconnects the stream now instead of waiting for the backoff.
  package func retryNow() {
    if !isOver { fetcher?.retryNow() }
  }

  /// Why the stream is being reconnected; nil while it is connected, and for a file.
  package var interruption: String? { isOver ? nil : fetcher?.interruption }

  /// Dequeues the reason of an interruption that a first attempt to reconnect has not ended; nil if there is none.
  package func takeOutage() -> String? { isOver ? nil : fetcher?.takeOutage() }
}

// MARK: Failures of worker and fetcher

extension CodecWorker {
  /// The failure to report to the player.
  ///
  /// A fetcher's failure takes precedence, because it is the cause. Once a stream has played, unsupported or
  /// corrupt content counts as a network failure, so that it is retried.
  private func explained(_ failure: WorkerFailure) -> WorkerFailure {
    if let failure = fetcher?.failure {
      let kind = Self.kind(of: failure)
      return isSound(kind) ? WorkerFailure(.network, failure.sentence) : WorkerFailure(kind, failure.sentence)
    }
    if isSound(failure.kind) { return WorkerFailure(.network, failure.sentence) }
    guard failure.kind == .unsupportedFormat, let type = fetcher?.stream?.contentType, !type.utf8.isEmpty
    else {
      return failure
    }
    return WorkerFailure(
      failure.kind, ("The server sends \(type). " + failure.sentence).printable(limit: Limits.sentence - 1))
  }

  /// Whether a stream that was recognised before now delivers content of another format or damaged content.
  /// It is retried.
  private func isSound(_ kind: WorkerFailure.Kind) -> Bool {
    guard search?.isFound == true else { return false }
    // A damaged file fails at the same place again; a station has moved past it.
    return kind == .unsupportedFormat || kind == .corrupt && fetcher?.holding != nil
  }

  private static func kind(of failure: FetchFailure) -> WorkerFailure.Kind {
    switch failure.kind {
    case .bytes: failure.remedy == .nothing ? .refused : .network
    case .format: .unsupportedFormat
    case .protection: .protected
    case .truncation: .corrupt
    }
  }
}
