// The main loop of a fetcher whose stream is HLS (HTTP Live Streaming): loads the segments in order and
// writes them to the spool as one stream. Fetcher process, one thread, in its sandbox.

import Platform

/// Fetches the segments of a stream until the engine closes its socket.
final class SegmentLoop: TransferReceiver {
  private let link: FetcherLink
  private let transfer: Transfer
  private var playlists: PlaylistAddresses
  private var schedule = SegmentSchedule()
  /// The present request, or the one to retry.
  private var request: SegmentRequest?
  /// The bytes of the playlist that is being loaded.
  private var text: [UInt8] = []
  private var attempts: Attempts
  private var lag = StationLag()
  private var unpacker = SegmentUnpacker()
  /// The initialisation section that was loaded last; nil for none.
  private var map: SegmentMap?
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
    guard refusal == nil, let wanted = request?.take(bytes), !wanted.isEmpty else {
      // Bytes that were received before the interruption do not end it.
      attempts.noteRepeatedByte(at: now)
      return true
    }
    if attempts.noteByte(at: now) { link.send(.resumed) }
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
  private var isOpen: Bool { sound.isOpen }

  /// Whether the stream was live when its audio began; an end that appears later does not change that.
  private var isStation: Bool { isOpen ? sound.isStation : schedule.isLive }

  /// Reports a title from the present position on. Titles in ID3 tags take precedence over those in
  /// playlists.
  private func name(_ title: String, fromTag: Bool) {
    guard isStation, sound.isNew(title, fromTag: fromTag) else { return }
    link.send(.title(offset: UInt64(link.spool.end), title))
  }

  /// Records that the spool is full.
  private func hold() {
    lag.note(held: true, end: link.spool.end, at: MonotonicClock.now())
    noteLag()
  }

  private func noteLag() {
    guard isStation, isOpen, lag.begun?.since != link.spool.header.lag?.since else { return }
    link.spool.header.lag = lag.begun
  }

  /// Cancels the present request.
  private func stop() {
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

extension SegmentLoop {
  // MARK: Playlists

  /// Applies a playlist that was loaded from the address `base`.
  private func take(_ playlist: Playlist, from base: String) throws(FetchFailure) {
    switch playlist {
    case .variants(let variants):
      try playlists.take(variants, from: base)
      beginPlaylist()
    case .segments(let list):
      playlists.base = base
      let now = request?.begun ?? 0
      switch schedule.take(list, at: now) {
      case .news: playlists.newsAt = now
      case .jump(let missing):
        playlists.newsAt = now
        leaveOut(missing)
      case .nothing: try noteNothingNew(list, at: now)
      }
      if !isOpen, list.segments.isEmpty {
        throw FetchFailure(sentence: "It names no segments.", remedy: .retrying)
      }
      request = nil
    }
  }

  private func beginPlaylist() {
    request = SegmentRequest(.playlist, at: playlists.current, called: "The playlist")
  }

  /// Fails if the playlist of a live stream has not changed for three target durations.
  private func noteNothingNew(_ list: SegmentList, at now: UInt64) throws(FetchFailure) {
    let limit = UInt64(3 * list.target) * 1_000_000
    guard now &- playlists.newsAt > limit, schedule.step(at: 0) != .end else { return }
    if case .load = schedule.step(at: now) { return }
    throw FetchFailure(sentence: "It names nothing new.", remedy: .reconnecting)
  }

  /// Starts the next request, or waits until it is due.
  private func goOn(at now: UInt64) throws(FetchFailure) {
    switch schedule.step(at: now) {
    case .load(let segment): try begin(segment)
    case .reload(let time):
      guard time > now else { return beginPlaylist() }
      lag.reachPresent(at: now)
      noteLag()
      link.wait(FetcherLink.milliseconds(from: now, to: time))
    case .end:
      guard isOpen else { throw FetchFailure(sentence: "The playlist's segments (HLS) hold no sound.") }
      link.isOver = true
      link.publish(.complete)
    }
  }

  private func begin(_ segment: Segment) throws(FetchFailure) {
    guard let list = schedule.list else { return }
    guard !segment.isProtected else {
      let method = String(decoding: list.protection, as: UTF8.self).printable(limit: 40)
      throw FetchFailure(
        sentence: "The station's segments (HLS) are encrypted (\(method)), which cannot be played.",
        kind: .protection)
    }
    guard !segment.isGap else {
      schedule.advance()
      return leaveOut(segment.duration)
    }
    if let number = segment.map, try begin(map: list.maps[number]) { return }
    let called = "Segment \(schedule.next)"
    let address: String
    do throws(FetchFailure) {
      address = try self.address(segment.part.reference, called)
    } catch {
      request = SegmentRequest(.segment(segment), at: "", called: called)
      return try lose(error)
    }
    if segment.isDiscontinuous { leaveOut(0) }
    if !segment.title.isEmpty, Self.isTitle(list.text[segment.title]) {
      name(String(decoding: list.text[segment.title], as: UTF8.self).printable(limit: 200), fromTag: false)
    }
    unpacker.begin(at: segment.part.bytes?.offset ?? 0)
    request = SegmentRequest(.segment(segment), at: address, called: called, segment.part.bytes)
  }

  /// Starts to load an initialisation section. Returns false if it is already loaded.
  private func begin(map part: Part) throws(FetchFailure) -> Bool {
    let called = "What describes the segments"
    let wanted = SegmentMap(address: try address(part.reference, called), bytes: part.bytes)
    guard wanted != map else { return false }
    // The previous section is void, even if this one fails to load.
    map = nil
    unpacker.begin(at: part.bytes?.offset ?? 0)
    request = SegmentRequest(.map, at: wanted.address, called: called, part.bytes)
    return true
  }

  /// Whether the title of a segment can be shown: some playlists put attributes or a placeholder there.
  private static func isTitle(_ text: ArraySlice<UInt8>) -> Bool {
    !text.contains(0x3D) && !PlaylistLines.isSame(text, "no desc")
  }

  /// Resolves a reference of the playlist.
  private func address(_ reference: Range<Int>, _ name: String) throws(FetchFailure) -> String {
    let text = schedule.list?.text[reference] ?? []
    guard let address = WebAddress.resolve(text, against: playlists.base) else {
      let shown = String(decoding: text, as: UTF8.self).printable(limit: 120)
      throw FetchFailure(sentence: "The playlist names \(shown), which is no address of a stream.")
    }
    return address
  }

  /// Records a discontinuity in a live stream.
  ///
  /// - Parameter milliseconds: Duration of the missing audio; 0 if unknown.
  private func leaveOut(_ milliseconds: Int64) {
    guard isOpen, isStation else { return }
    link.send(.rejoined(offset: UInt64(link.spool.end), missing: UInt64(max(0, milliseconds))))
    link.spool.noteSeam()
    lag.rejoin()
    noteLag()
    link.wakeAnyway()
  }

  /// Moves to the live position, skipping the segments before it.
  private func renew() {
    guard isStation, isOpen, !link.isOver else { return }
    stop()
    schedule.goToPresent()
  }

  // MARK: Failures

  /// Handles a failed request: schedules a retry, skips the segment, or throws if the stream has failed.
  private func lose(_ failure: FetchFailure) throws(FetchFailure) {
    let failure = FetchFailure(
      sentence: request.map { $0.name + " (HLS): " + failure.sentence } ?? failure.sentence,
      remedy: failure.remedy, kind: failure.kind)
    guard isOpen else { return try tryOther(failure) }
    let now = MonotonicClock.now()
    if failure.remedy == .nothing, failure.kind == .bytes, isStation,
      case .segment(let segment) = request?.goal
    {
      // The segment does not exist; the following ones may.
      stop()
      schedule.advance()
      leaveOut(segment.duration)
    } else {
      guard failure.kind == .bytes, failure.remedy == .reconnecting || isStation else { throw failure }
      if request?.goal == .map || request?.goal == .playlist { request = nil }
    }
    lag.note(held: true, end: link.spool.end, at: now)
    noteLag()
    guard let isFirst = attempts.lose(at: now) else {
      throw FetchFailure(sentence: failure.sentence, remedy: .retrying)
    }
    if attempts.isNews(failure.sentence, isFirst: isFirst) { link.send(.interrupted(failure.sentence)) }
  }

  /// Tries another quality after a failure before the first audio. Throws the failure if there is none.
  private func tryOther(_ failure: FetchFailure) throws(FetchFailure) {
    stop()
    guard playlists.useOther() else { throw failure }
    schedule = SegmentSchedule()
    unpacker = SegmentUnpacker()
    map = nil
    beginPlaylist()
  }
}

/// An initialisation section, identified by its resolved address, because ranges in the playlist's text
/// change on each reload.
struct SegmentMap: Equatable {
  let address: String
  let bytes: Part.Bytes?
}

/// The addresses of the playlists of a stream.
struct PlaylistAddresses {
  /// Maximum number of qualities to try.
  private static let maxTries = 4

  /// The media playlist that is reloaded.
  private(set) var current: String
  /// The address that it was loaded from, after redirects, for resolving references.
  var base = ""
  /// When it last changed, in monotonic nanoseconds.
  var newsAt: UInt64 = 0
  private var others: ArraySlice<String> = []
  private var hasVariants = false

  init(_ url: String) { current = url }

  /// Applies a multivariant playlist and selects its best quality.
  mutating func take(_ variants: [Variant], from base: String) throws(FetchFailure) {
    guard !hasVariants else {
      throw FetchFailure(sentence: "It names qualities, and was one of them itself.")
    }
    hasVariants = true
    let addresses = VariantChoice.order(variants).compactMap {
      WebAddress.resolve($0.reference[...], against: base)
    }
    guard let first = addresses.first else {
      let shown = variants.first.map { String(decoding: $0.reference, as: UTF8.self).printable(limit: 120) }
      throw FetchFailure(sentence: "It names \(shown ?? "nothing"), which is no address of a stream.")
    }
    current = first
    others = addresses.dropFirst().prefix(Self.maxTries - 1)
  }

  /// Selects the next best quality. Returns false if there is none.
  mutating func useOther() -> Bool {
    guard let next = others.popFirst() else { return false }
    current = next
    return true
  }
}
