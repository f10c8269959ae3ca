// Replaces a worker process: by a worker with more libraries, or by a worker on another address of the station.
// Control thread.

import AudioRing
import Platform
import PlaybackModel
import Streaming

extension CodecWorker {
  /// Continues with the station's next address in the same ring. Reports the failure if all have been tried.
  func tryNextAddress(_ events: inout [WorkerEvent], now: UInt64) {
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
  func restart(_ events: inout [WorkerEvent], now: UInt64) {
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
        request, ring.layout, conversation.equipment, ring: ringFile, fetcher: fetcher, standIn: standIn, messages)
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
