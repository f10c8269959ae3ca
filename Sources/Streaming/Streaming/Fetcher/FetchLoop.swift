// The main loop of a fetcher: fills the spool as far as its reader permits, reconnects, and follows seeks.
// Fetcher process, one thread.

import CLinux
import Platform

/// Fetches one stream until the engine closes its socket.
final class FetchLoop: TransferReceiver {
  private let order: FetchOrder
  let link: FetcherLink
  var transfer: Transfer?
  var source: Source?
  private var titles: TitleFilter?
  /// A response that may be an HLS playlist; nil once that is decided.
  private var playlist: PlaylistProbe?
  private var attempts: Attempts
  /// The offset of the latest request, and the bytes of its response to skip.
  private var asked: (offset: Int64, skipping: Int64) = (0, 0)
  /// The progress of the latest connections.
  private var progress = ConnectionProgress()
  /// Whether the transfer is paused until there is room in the spool.
  private var isHeld = false
  /// How far a station lags behind live.
  var lag = StationLag()
  /// Why the present response was rejected.
  private var refusal: FetchFailure?

  init(_ order: FetchOrder, _ link: FetcherLink) {
    self.order = order
    self.link = link
    attempts = Attempts(order)
  }

  /// Runs until the engine closes its socket.
  func run(plugins: String) {
    do throws(FetchFailure) {
      let transport = try Transport.load(for: order.url, from: plugins)
      try FetcherSandbox.enter(window: link.spool.capacity)
      let transfer = try Transfer(transport, order, self)
      self.transfer = transfer
      try request(0)
      while takeMessages() {
        if let playlist, playlist.isWhole {
          return try SegmentLoop(order, link, transfer, playlist.bytes).run()
        }
        try turn(transfer)
      }
    } catch {
      fail(error)
      while takeMessages() { link.wait(-1) }
    }
    transfer = nil
  }

  /// Waits for the next event and handles it.
  private func turn(_ transfer: Transfer) throws(FetchFailure) {
    let now = MonotonicClock.now()
    if link.takeHurry() { attempts.hurry(at: now) }
    guard transfer.isRunning else {
      guard let due = attempts.due else { return link.wait(-1) }
      guard now >= due else { return link.wait(FetcherLink.milliseconds(from: now, to: due)) }
      return try request(link.spool.end)
    }
    if isHeld {
      if link.room > FetcherLink.chunk {
        isHeld = false
        attempts.noteByte(at: now)
        try take(transfer.resume())
      } else {
        return link.wait(-1)
      }
    } else if attempts.isStalled(at: now) {
      transfer.stop()
      let sentence = source == nil ? "The server does not answer." : "The server has stopped sending."
      return try lose(FetchFailure(sentence: sentence, remedy: .reconnecting))
    }
    guard transfer.isRunning, !isHeld else { return }
    try take(
      transfer.run(
        link.descriptors, milliseconds: FetcherLink.milliseconds(from: now, to: attempts.stallDeadline)))
  }

  private func take(_ outcome: Transfer.Outcome) throws(FetchFailure) {
    if let failure = outcome.failure(refusal) { return try lose(failure) }
    if case .done = outcome { try finish() }
  }

  /// Handles the end of the source's response.
  private func finish() throws(FetchFailure) {
    playlist?.end()
    if playlist?.isWhole == true { return }
    openOther()
    guard let source else { throw FetchFailure(sentence: "The server has sent nothing.", remedy: .retrying) }
    if let length = source.length, link.spool.end >= length {
      link.isOver = true
      return link.wakeReader()
    }
    guard source.length == nil, !source.isLive else {
      return try lose(FetchFailure(sentence: "The connection was lost.", remedy: .reconnecting))
    }
    link.isOver = true
    link.publish(.complete)
  }

  /// Handles a lost connection: schedules a reconnect, or throws if that is pointless.
  private func lose(_ failure: FetchFailure) throws(FetchFailure) {
    // Before any response, the engine decides on a retry.
    guard let source, source.isSeekable || source.isLive || source.length != nil else { throw failure }
    // A station that restarts may answer with errors for a while.
    guard failure.remedy == .reconnecting || source.isLive else { throw failure }
    note(held: true)
    guard let isFirst = attempts.lose(at: MonotonicClock.now()) else {
      throw FetchFailure(sentence: failure.sentence, remedy: .retrying)
    }
    if !source.isLive, progress.noteLoss(at: link.spool.end, isRepeating: asked.skipping > 0) {
      let whole = source.length.map { " of \($0)" } ?? ""
      throw FetchFailure(
        sentence: "The server breaks it off at byte \(link.spool.end)\(whole), "
          + "\(ConnectionProgress.maxFruitless) times in a row.",
        kind: .truncation)
    }
    if attempts.isNews(failure.sentence, isFirst: isFirst) { link.send(.interrupted(failure.sentence)) }
  }

  func request(_ offset: Int64) throws(FetchFailure) {
    guard let transfer else { return }
    attempts.begin(at: MonotonicClock.now())
    isHeld = false
    asked.skipping = 0
    refusal = nil
    progress.begin()
    // A station is requested from its live position, without an offset.
    asked.offset = source?.isLive == true ? 0 : offset
    try transfer.begin(order.url, from: asked.offset, validator: source?.validator ?? "")
  }

  // MARK: Transfer callbacks

  func answered(_ answer: SourceAnswer) -> Bool {
    do throws(FetchFailure) {
      if let refusal = Source.refusal(answer) { throw refusal }
      titles = TitleFilter(interval: answer.titleInterval)
      if let source {
        if source.isLive, let change = Source.wrongContent(answer) { throw change }
        asked.skipping = try source.skipped(answer, from: asked.offset)
        progress.noteAnswer()
        if source.isLive { rejoin() }
      } else if playlist == nil, PlaylistProbe.isPossible(answer, at: order.url) {
        playlist = PlaylistProbe(answer)
      } else {
        open(answer)
      }
      return true
    } catch {
      refusal = error
      return false
    }
  }

  private func open(_ answer: SourceAnswer) {
    let found = Source(answer)
    source = found
    link.spool.header.length = found.length ?? SpoolLayout.unknown
    link.spool.header.isSeekable = found.isSeekable
    link.spool.header.kind = found.kind
    link.send(
      .opened(
        StreamDescription(
          length: found.length, isSeekable: found.isSeekable, station: answer.station,
          contentType: answer.contentType, reach: transfer?.reach)))
    link.publish(.open)
  }

  /// Opens a buffered response that is not an HLS playlist.
  private func openOther() {
    guard let probe = playlist, probe.isOther else { return }
    playlist = nil
    open(probe.answer)
    probe.bytes.withUnsafeBytes { append($0) }
    link.wakeReader()
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard playlist == nil else {
      attempts.noteByte(at: MonotonicClock.now())
      playlist?.take(bytes)
      openOther()
      return true
    }
    guard link.room >= bytes.count else {
      isHeld = true
      note(held: true)
      return false
    }
    note(held: false)
    if Int64(bytes.count) <= asked.skipping {
      attempts.noteRepeatedByte(at: MonotonicClock.now())
    } else if attempts.noteByte(at: MonotonicClock.now()) {
      link.send(.resumed)
    }
    if titles == nil {
      append(bytes)
    } else {
      titles?.take(
        bytes, sound: { append($0) }, title: { link.send(.title(offset: UInt64(link.spool.end), $0)) })
    }
    link.wakeReader()
    return true
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    var bytes = bytes
    if asked.skipping > 0 {
      let count = Int(min(asked.skipping, Int64(bytes.count)))
      asked.skipping -= Int64(count)
      bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
    }
    // A server may send more than its stated length.
    if let length = source?.length {
      bytes = UnsafeRawBufferPointer(
        rebasing: bytes[..<Int(min(Int64(bytes.count), max(0, length - link.spool.end)))])
    }
    link.spool.append(bytes)
  }

  // MARK: Requests of the reader

  /// Handles the worker's messages. Returns false if the engine has closed its socket.
  private func takeMessages() -> Bool {
    link.takeMessages { message in
      if case .want(let offset, _) = message { goes(to: offset) }
      if message == .renew { renew() }
    }
  }

  /// Requests bytes that are not in the window and will not arrive soon.
  private func goes(to offset: Int64) {
    guard let source, source.isSeekable, let transfer else { return }
    if offset >= link.spool.start, offset <= link.spool.end + Int64(link.spool.capacity / 16),
      !link.isOver || offset < link.spool.end
    {
      return
    }
    if let length = source.length, offset >= length { return }
    link.isOver = false
    transfer.stop()
    link.spool.restart(at: offset)
    do throws(FetchFailure) {
      try request(offset)
    } catch {
      fail(error)
    }
  }

  func fail(_ failure: FetchFailure) {
    transfer?.stop()
    link.fail(failure)
  }
}
