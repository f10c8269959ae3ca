// One worker process takes another's place: with more libraries, or on another address of the same station. Control thread.

import AudioRing
import Platform
import PlaybackModel
import Streaming

extension CodecWorker {
  /// Goes on with the station's next address, in the same ring; where all were tried, that is the failure.
  func tryNextAddress(_ events: inout [WorkerEvent], now: UInt64) {
    guard let url = search?.next() else {
      stop()
      if let search { events.append(.failed(search.failure)) }
      return
    }
    if let fetcher {
      // What a server names is bound by where that server is.
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
      supplies.fetcher = try request.stream.map { stream throws(SystemError) in
        try Fetcher(stream, executable: request.executable)
      }
      if let fetcher { try descriptors.add(fetcher.descriptor) }
    }
  }

  /// Replaces the process by one that has what this one lacked.
  func restart(_ events: inout [WorkerEvent], now: UInt64) {
    replace(conversation.restart(), &events, now: now) {}
  }

  /// Starts a successor of a worker that died, in the same ring. A station is begun again at its present, which
  /// counts from `position` on.
  ///
  /// - Parameters:
  ///   - position: The frame of the track, at the engine's rate, that the successor begins with.
  ///   - index: The ring index of that frame. What was written before it stays.
  ///   - now: Nanoseconds of the monotonic clock.
  /// - Returns: The number that `seeked` carries once there is enough to go on with. Where no process can be started, `failed` comes.
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
      supplies.fetcher = try request.stream.map { stream throws(SystemError) in
        try Fetcher(stream, executable: request.executable)
      }
      if let fetcher { try descriptors.add(fetcher.descriptor) }
    }
    return seek.generation
  }

  /// Replaces the process, after something else, by one that begins with these messages.
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
      let started = try StartedWorker(request, ring.layout, conversation.equipment, supplies, messages)
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
