// The state of one Snapcast connection: time synchronization, settings, decoding, and the due time of each block of
// sound. Performs no I/O; receiver's process, single thread.

import PlaybackModel

/// One connection to a Snapcast server.
package struct SnapcastSession {
  /// The number of initial time requests sent in quick succession and the interval between them in nanoseconds; then
  /// the intervals with and without incoming sound.
  private static let quick = 50
  private static let quickly: UInt64 = 20_000_000
  private static let steadily: UInt64 = 250_000_000
  private static let seldom: UInt64 = 1_000_000_000
  /// Number of answers after which the clock estimate is good enough to schedule sound.
  private static let minCount = 10
  /// Timeout in nanoseconds for a silent server, which answers a request each second.
  private static let silence: UInt64 = 10_000_000_000
  /// Range around the present in nanoseconds within which a due time is plausible.
  private static let past: Int64 = 2_000_000_000
  private static let future: Int64 = 22_000_000_000

  private let codecs: SnapcastCodecs
  private var reader = SnapcastReader()
  private var settings = SnapcastSettings()
  private var clock = ServerClock()
  private var decoder: (any ChunkDecoder)?
  private var frames: [Float] = []
  private var asked = 0
  private var answered = 0
  private var lastAsked: UInt64
  private var lastHeard: UInt64
  /// When sound was received last.
  private var lastPlayed: UInt64 = 0
  /// Bytes to be sent to the server.
  private var outgoing: [UInt8]
  /// Encoded blocks of sound for the worker.
  private var sound: [UInt8] = []

  /// Starts a session with Hello. `now`: nanoseconds of the monotonic clock.
  package init(_ identity: SnapcastIdentity, _ codecs: SnapcastCodecs, at now: UInt64) {
    self.codecs = codecs
    (lastAsked, lastHeard) = (now, now)
    outgoing = SnapcastMessage.bytes(.hello, id: 1, at: Int64(now), body: identity.hello)
  }

  /// Time at which `pass` must be called, in nanoseconds.
  package var deadline: UInt64 {
    min(nextQuestion, lastHeard + Self.silence)
  }

  private var nextQuestion: UInt64 {
    if asked < Self.quick { return lastAsked + Self.quickly }
    return lastAsked + (lastPlayed + Self.seldom > lastAsked ? Self.steadily : Self.seldom)
  }

  /// Sends a time request if one is due.
  ///
  /// - Throws: `SnapcastFailure` if the server has been silent for too long.
  package mutating func pass(_ now: UInt64) throws(SnapcastFailure) {
    guard now < lastHeard + Self.silence else { throw SnapcastFailure("its server does not answer any more") }
    guard now >= nextQuestion else { return }
    lastAsked = now
    asked += 1
    let id = UInt16(truncatingIfNeeded: asked + 1)
    outgoing += SnapcastMessage.bytes(.time, id: id, at: Int64(now), body: [UInt8](repeating: 0, count: 8))
  }

  /// Removes and returns the bytes to be sent to the server.
  package mutating func takeOutgoing() -> [UInt8] {
    defer { outgoing = [] }
    return outgoing
  }

  /// Removes and returns the decoded blocks of sound, each with its header.
  package mutating func takeSound() -> [UInt8] {
    defer { sound = [] }
    return sound
  }

  /// Processes received bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - now: The time of receipt in nanoseconds.
  /// - Throws: `SnapcastFailure` if the server violates the protocol.
  package mutating func take(_ bytes: some Sequence<UInt8>, at now: UInt64) throws(SnapcastFailure) {
    lastHeard = now
    reader.take(bytes)
    while let message = try reader.next() {
      switch message.kind {
      case .serverSettings: settings = try SnapcastSettings(message.body)
      case .codecHeader: decoder = try codecs.decoder(for: message.body)
      case .time:
        guard message.body.count >= 8 else { throw SnapcastFailure("its server sends a Time without a time") }
        // The body holds the request's travel time, measured across both clocks.
        let isTaken = clock.note(
          there: SnapcastTime.read(message.body[...], 0), back: Int64(now) - message.sent,
          arrived: Int64(now))
        if isTaken { answered += 1 }
      case .wireChunk: try play(message.body, at: now)
      case .hello, nil: break
      }
    }
  }

  private mutating func play(_ body: [UInt8], at now: UInt64) throws(SnapcastFailure) {
    guard let decoder else { throw SnapcastFailure("its server sends sound before its Codec Header") }
    guard body.count >= 12, body[...].length32(8) == body.count - 12 else {
      throw SnapcastFailure("its server sends a Wire Chunk that cannot be read")
    }
    lastPlayed = now
    frames.removeAll(keepingCapacity: true)
    try decoder.decode(body[12...], into: &frames)
    guard frames.count <= 2 * SnapcastLimits.maxFrames else {
      throw SnapcastFailure("its server sends a Wire Chunk of more than two seconds")
    }
    // Without a synchronized clock, the sound could not be scheduled.
    guard answered >= Self.minCount, let start = clock.ours(SnapcastTime.read(body[...], 0)) else { return }
    let due = start + Int64(settings.buffer - settings.latency) * 1_000_000
    // Drops sound that is too late or, by a fault of the server, implausibly early.
    guard due > Int64(now) - Self.past, due > 0, due < Int64(now) + Self.future else { return }
    let gain = settings.gain
    if gain != 1 { for place in frames.indices { frames[place] *= gain } }
    var first = 0
    while first < frames.count / 2 {
      let count = min(TimedBlock.maxFrames, frames.count / 2 - first)
      let later = Int64(Double(first) * 1e9 / Double(decoder.rate))
      sound += TimedBlock(due: UInt64(due + later), frames: count, rate: decoder.rate).bytes
      frames[(2 * first)..<(2 * (first + count))].withUnsafeBytes { sound += $0 }
      first += count
    }
  }
}
