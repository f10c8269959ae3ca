// The main loop of a fetcher whose stream is HLS (HTTP Live Streaming): loads the segments in order and
// writes them to the spool as one stream. Fetcher process, one thread, in its sandbox.

import Platform

/// Fetches the segments of a stream until the engine closes its socket.
final class SegmentLoop: TransferReceiver {
  let link: FetcherLink
  private let transfer: Transfer
  var playlists: PlaylistAddresses
  var schedule = SegmentSchedule()
  /// The present request, or the one to retry.
  var request: SegmentRequest?
  /// The bytes of the playlist that is being loaded.
  private var text: [UInt8] = []
  var attempts: Attempts
  var lag = StationLag()
  var unpacker = SegmentUnpacker()
  /// The initialisation section that was loaded last; nil for none.
  var map: SegmentMap?
  /// Whether the transfer is paused until there is room in the spool.
  private var isHeld = false
  /// Why the present response was rejected.
  private var refusal: FetchFailure?
  private var sound = SegmentSound()

  init(_ order: FetchOrder, _ link: FetcherLink, _ transfer: Transfer, _ playlist: [UInt8]) {
    self.link = link
    self.transfer = transfer
    text = playlist
    attempts = Attempts(order)
    playlists = PlaylistAddresses(order.url)
  }

  /// Runs until the engine closes its socket.
  func run() throws(FetchFailure) {
    transfer.receiver = self
    transfer.stop()
    request = SegmentRequest(.playlist, at: playlists.current, called: "The playlist")
    request?.begun = MonotonicClock.now()
    do throws(FetchFailure) { try takePlaylist() } catch { try lose(error) }
    while takeMessages() { try turn() }
  }

  private func takeMessages() -> Bool {
    link.takeMessages { message in
      if message == .renew { renew() }
    }
  }

  /// Waits for the next event and handles it.
  private func turn() throws(FetchFailure) {
    let now = MonotonicClock.now()
    guard !link.isOver else { return link.wait(-1) }
    drain()
    if transfer.isRunning {
      try run(at: now)
    } else if !unpacker.output.isEmpty {
      hold()
      link.wait(-1)
    } else if let due = attempts.due, now < due {
      link.wait(FetcherLink.milliseconds(from: now, to: due))
    } else if request != nil {
      try sendRequest()
    } else {
      attempts.begin(at: now)
      try goOn(at: now)
    }
  }

  private func run(at now: UInt64) throws(FetchFailure) {
    if isHeld {
      guard unpacker.output.isEmpty else { return link.wait(-1) }
      isHeld = false
      attempts.noteByte(at: now)
      request?.deadline = now &+ SegmentRequest.limit
      return try take(transfer.resume())
    }
    let deadline = min(attempts.stallDeadline, request?.deadline ?? .max)
    if request?.isComplete == true {
      transfer.stop()
      try finish()
    } else if now >= deadline {
      transfer.stop()
      let stalls = attempts.isStalled(at: now)
      let isSilent = request?.received == 0 && text.isEmpty
      try lose(
        FetchFailure(
          sentence: !stalls
            ? "It does not end."
            : isSilent ? "The server does not answer." : "The server has stopped sending.",
          remedy: .reconnecting))
    } else {
      try take(
        transfer.run(link.descriptors, milliseconds: FetcherLink.milliseconds(from: now, to: deadline)))
    }
  }

  private func take(_ outcome: Transfer.Outcome) throws(FetchFailure) {
    if let failure = outcome.failure(refusal) { return try lose(failure) }
    if case .done = outcome { try finish() }
  }

  /// Starts or resumes the transfer of the present request.
  private func sendRequest() throws(FetchFailure) {
    guard request != nil else { return }
    let now = MonotonicClock.now()
    attempts.begin(at: now)
    (isHeld, refusal, text) = (false, nil, [])
    request?.begun = now
    request?.deadline = now &+ SegmentRequest.limit
    request?.isComplete = false
    guard let request else { return }
    do throws(FetchFailure) {
      try transfer.begin(request.address, from: request.offset)
    } catch {
      try lose(error)
    }
  }

  /// Handles a complete response.
  private func finish() throws(FetchFailure) {
    guard let request else { return }
    do throws(FetchFailure) {
      if let refusal { throw refusal }
      guard request.isWhole else {
        throw FetchFailure(sentence: "It is shorter than the playlist says.", remedy: .reconnecting)
      }
      switch request.goal {
      case .playlist: return try takePlaylist()
      case .map:
        try unpacker.end()
        unpacker.clear()
        map = SegmentMap(address: request.address, bytes: request.part)
      case .segment:
        try unpacker.end()
        schedule.advance()
      }
      self.request = nil
    } catch {
      try lose(error)
    }
  }

  private func takePlaylist() throws(FetchFailure) {
    defer { text = [] }
    guard text.count <= Playlist.maxLength else {
      throw FetchFailure(sentence: "It does not end within \(Playlist.maxLength >> 20) MiB.")
    }
    try take(PlaylistLines.read(text), from: transfer.location)
  }

  // MARK: Transfer callbacks

  func answered(_ answer: SourceAnswer) -> Bool {
    refusal = Source.refusal(answer)
    if refusal == nil, request?.goal != .playlist { refusal = request?.take(answer) }
    return refusal == nil
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let now = MonotonicClock.now()
    if request?.goal == .playlist {
      // A reload of the playlist does not end an interruption; only audio does.
      attempts.begin(at: now)
      text += bytes.prefix(max(0, Playlist.maxLength + 1 - text.count))
      if text.count > Playlist.maxLength { request?.isComplete = true }
      return true
    }
    drain()
    guard unpacker.output.isEmpty else {
      isHeld = true
      hold()
      return false
    }
    if attempts.noteByte(at: now) { link.send(.resumed) }
    guard refusal == nil, let wanted = request?.take(bytes) else { return true }
    do throws(FetchFailure) {
      if let title = try unpacker.take(wanted) { name(title, fromTag: true) }
    } catch {
      refusal = error
      request?.isComplete = true
    }
    drain()
    return true
  }

  // MARK: Spool

  /// Moves unpacked bytes to the spool, as far as there is room.
  private func drain() {
    let count = min(unpacker.output.count, link.room)
    guard count > 0 else { return }
    open()
    unpacker.output.withUnsafeBytes { link.spool.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    unpacker.remove(count)
    lag.note(pieceAt: MonotonicClock.now())
    link.wakeReader()
  }

  /// Reports the stream to the engine with the first audio.
  private func open() {
    guard !sound.isOpen else { return }
    sound.isStation = schedule.isLive
    sound.isOpen = true
    link.spool.header.kind = sound.isStation ? .live : []
    link.send(
      .opened(
        StreamDescription(length: nil, isSeekable: false, station: "", contentType: "", reach: transfer.reach)
      ))
    link.publish(.open)
  }

  /// Whether any audio was received.
  var isOpen: Bool { sound.isOpen }

  /// Whether the stream was live when its audio began; an end that appears later does not change that.
  var isStation: Bool { isOpen ? sound.isStation : schedule.isLive }

  /// Reports a title from the present position on. Titles in ID3 tags take precedence over those in
  /// playlists.
  func name(_ title: String, fromTag: Bool) {
    guard isStation, sound.isNew(title, fromTag: fromTag) else { return }
    link.send(.title(offset: UInt64(link.spool.end), title))
  }

  /// Records that the spool is full.
  private func hold() {
    lag.note(held: true, end: link.spool.end, at: MonotonicClock.now())
    noteLag()
  }

  func noteLag() {
    guard isStation, isOpen, lag.begun?.since != link.spool.header.lag?.since else { return }
    link.spool.header.lag = lag.begun
  }

  /// Cancels the present request.
  func stop() {
    transfer.stop()
    (request, isHeld, refusal, text) = (nil, false, nil, [])
    attempts.begin(at: MonotonicClock.now())
    unpacker.clear()
  }
}

/// The stream's state as reported to the engine.
struct SegmentSound {
  var isOpen = false
  var isStation = false
  private var title = ""
  private var isTagged = false

  /// Whether a title differs from the last one and does not yield to tags.
  mutating func isNew(_ title: String, fromTag: Bool) -> Bool {
    guard fromTag || !isTagged else { return false }
    isTagged = isTagged || fromTag
    guard title != self.title else { return false }
    self.title = title
    return true
  }
}
