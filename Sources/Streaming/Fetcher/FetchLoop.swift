// The fetcher's steady state: keeps the spool as full as its reader lets it be, heals lost connections, goes where the reader wants to
// read. Fetcher process, one thread.

import CLinux
import Platform

/// Fetches one stream until the engine closes its socket.
final class FetchLoop: TransferReceiver {
  private let order: FetchOrder
  private let engine: MessageSocket
  let worker: MessageSocket
  var spool: SpoolWriter
  var transfer: Transfer?
  var source: Source?
  private var titles: TitleFilter?
  var reader = ReaderWishes()
  private var attempts: Attempts
  /// The offset that the latest request has asked for, and bytes of its answer that are passed over.
  private var asked: (offset: Int64, skipping: Int64) = (0, 0)
  /// Whether the source waits for room in the spool.
  private var isHeld = false
  /// Whether all is there that will ever come, or nothing more will.
  var isOver = false
  /// How far a station lags behind itself.
  var lag = StationLag()
  /// Why the present answer brings nothing.
  private var refusal: FetchFailure?
  private var buffer = [UInt8](repeating: 0, count: 64)

  init(
    _ order: FetchOrder, _ spool: consuming SpoolWriter, engine: consuming MessageSocket,
    worker: consuming MessageSocket
  ) {
    self.order = order
    self.spool = spool
    self.engine = engine
    self.worker = worker
    attempts = Attempts(order)
  }

  /// Runs until the engine is gone.
  func run(plugins: String) {
    do throws(FetchFailure) {
      let transport = try Transport.load(for: order.url, from: plugins)
      try FetcherSandbox.enter(window: spool.capacity)
      let transfer = try Transfer(transport, order, self)
      self.transfer = transfer
      try request(0)
      while takeMessages() { try turn(transfer) }
    } catch {
      fail(error)
      while takeMessages() { wait(-1) }
    }
    transfer = nil
  }

  /// Waits for the next thing to do, and does it.
  private func turn(_ transfer: Transfer) throws(FetchFailure) {
    let now = MonotonicClock.now()
    guard transfer.isRunning else {
      guard let due = attempts.due else { return wait(-1) }
      guard now >= due else { return wait(Self.milliseconds(from: now, to: due)) }
      return try request(spool.end)
    }
    if isHeld {
      if room > Self.chunk {
        isHeld = false
        attempts.noteByte(at: now)
        try take(transfer.resume())
      } else {
        return wait(-1)
      }
    } else if attempts.isStalled(at: now) {
      transfer.stop()
      let sentence = source == nil ? "The server does not answer." : "The server has stopped sending."
      return try lose(FetchFailure(sentence: sentence, remedy: .reconnecting))
    }
    guard transfer.isRunning, !isHeld else { return }
    try take(
      transfer.run(
        [engine.raw, worker.raw], milliseconds: Self.milliseconds(from: now, to: attempts.stallDeadline)))
  }

  private func take(_ outcome: Transfer.Outcome) throws(FetchFailure) {
    switch outcome {
    case .running: break
    case .failed(let failure): try lose(failure)
    case .refused: try lose(refusal ?? FetchFailure(sentence: "The server's answer is not understood."))
    case .done: try finish()
    }
  }

  /// The source has ended by itself.
  private func finish() throws(FetchFailure) {
    guard let source else { throw FetchFailure(sentence: "The server has sent nothing.", remedy: .retrying) }
    if let length = source.length, spool.end >= length {
      isOver = true
      return wakeReader()
    }
    guard source.length == nil, !source.isLive else {
      return try lose(FetchFailure(sentence: "The connection was lost.", remedy: .reconnecting))
    }
    isOver = true
    publish(.complete)
  }

  /// Makes the connection again after a while, where that may help.
  private func lose(_ failure: FetchFailure) throws(FetchFailure) {
    // Before anything was heard, whoever has asked decides about another try.
    guard let source, source.isSeekable || source.isLive || source.length != nil else { throw failure }
    // A station that is restarted knows nothing of itself for a while.
    guard failure.remedy == .reconnecting || source.isLive else { throw failure }
    note(held: true)
    guard let isFirst = attempts.lose(at: MonotonicClock.now()) else {
      throw FetchFailure(sentence: failure.sentence, remedy: .retrying)
    }
    if isFirst { send(.interrupted(failure.sentence)) }
  }

  func request(_ offset: Int64) throws(FetchFailure) {
    guard let transfer else { return }
    attempts.begin(at: MonotonicClock.now())
    isHeld = false
    asked.skipping = 0
    refusal = nil
    // A station begins where it is now, and without that offset.
    asked.offset = source?.isLive == true ? 0 : offset
    try transfer.begin(order.url, from: asked.offset, validator: source?.validator ?? "")
  }

  // MARK: What the plugin brings

  func answered(_ answer: SourceAnswer) -> Bool {
    do throws(FetchFailure) {
      if let refusal = Source.refusal(answer) { throw refusal }
      titles = TitleFilter(interval: answer.titleInterval)
      if let source {
        asked.skipping = try source.skipped(answer, from: asked.offset)
        if source.isLive { rejoin() }
      } else {
        let found = Source(answer)
        source = found
        spool.header.length = found.length ?? SpoolLayout.unknown
        spool.header.isSeekable = found.isSeekable
        spool.header.kind = found.kind
        send(
          .opened(
            StreamDescription(
              length: found.length, isSeekable: found.isSeekable, station: answer.station,
              contentType: answer.contentType)))
        publish(.open)
      }
      return true
    } catch {
      refusal = error
      return false
    }
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard room >= bytes.count else {
      isHeld = true
      note(held: true)
      return false
    }
    note(held: false)
    if attempts.noteByte(at: MonotonicClock.now()) { send(.resumed) }
    if titles == nil {
      append(bytes)
    } else {
      titles?.take(bytes, sound: { append($0) }, title: { send(.title(offset: UInt64(spool.end), $0)) })
    }
    wakeReader()
    return true
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    var bytes = bytes
    if asked.skipping > 0 {
      let count = Int(min(asked.skipping, Int64(bytes.count)))
      asked.skipping -= Int64(count)
      bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
    }
    // A server may send more than it has promised.
    if let length = source?.length {
      bytes = UnsafeRawBufferPointer(
        rebasing: bytes[..<Int(min(Int64(bytes.count), max(0, length - spool.end)))])
    }
    spool.append(bytes)
  }

  // MARK: What the reader wants

  /// Bytes that plugins deliver at once, at most.
  private static let chunk = 32 << 10

  /// A quarter of the window stays behind what was read, so that short ways back cost no request.
  private var room: Int { spool.room(keeping: reader.position - Int64(spool.capacity / 4)) }

  /// Takes what the worker says. False when the engine is gone.
  private func takeMessages() -> Bool {
    while true {
      switch worker.receive(into: &buffer) {
      case .message(let count):
        guard let message = SpoolMessage(buffer[..<count]) else { continue }
        reader.take(message)
        if case .want(let offset, _) = message, !goes(to: offset) { return false }
        if message == .renew { renew() }
        wakeReader()
      case .tooLong: continue
      case .nothing: return takeEngine()
      // The worker's end is the engine's, too: both are gone.
      case .closed: return false
      }
    }
  }

  private func takeEngine() -> Bool {
    while true {
      switch engine.receive(into: &buffer) {
      case .closed: return false
      case .nothing: return true
      case .message, .tooLong: continue
      }
    }
  }

  /// Asks the source for bytes that the window does not hold and that will not come by themselves soon. Always true.
  private func goes(to offset: Int64) -> Bool {
    guard let source, source.isSeekable, let transfer else { return true }
    if offset >= spool.start, offset <= spool.end + Int64(spool.capacity / 16), !isOver || offset < spool.end
    {
      return true
    }
    if let length = source.length, offset >= length { return true }
    isOver = false
    transfer.stop()
    spool.restart(at: offset)
    do throws(FetchFailure) {
      try request(offset)
    } catch {
      fail(error)
    }
    return true
  }

  /// Wakes the worker where it has what it waits for.
  private func wakeReader() {
    if reader.isAnswered(from: spool.start, to: spool.end, isOver: isOver) { worker.send(SpoolMessage.wake) }
  }

  // MARK: News

  private func publish(_ phase: SpoolPhase) {
    spool.header.phase = phase
    reader.forget()
    worker.send(SpoolMessage.wake)
  }

  func fail(_ failure: FetchFailure) {
    transfer?.stop()
    // Before the worker can fail for want of bytes: the engine has heard why by then.
    send(.failed(failure))
    publish(.failed)
  }

  /// Waits only for an engine that does not listen; what matters must not be lost.
  func send(_ message: FetcherMessage) {
    switch message {
    case .opened, .failed: engine.send(message.bytes, waiting: true)
    case .title, .interrupted, .resumed, .rejoined: engine.send(message.bytes)
    }
  }

  private func wait(_ milliseconds: Int32) {
    var entries = [
      pollfd(fd: engine.raw, events: Int16(POLLIN), revents: 0),
      pollfd(fd: worker.raw, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&entries, 2, milliseconds)
  }

  private static func milliseconds(from now: UInt64, to then: UInt64) -> Int32 {
    then <= now ? 0 : Int32(clamping: (then - now) / 1_000_000 + 1)
  }
}
