// A room of a Snapcast server, from its first word on: what it asks, what it makes of what comes, and when its sound is to be heard. Knows
// no socket and no clock of its own; one thread of the receiver's process.

import PlaybackModel

/// A conversation with one server, over one connection.
package struct SnapcastSession {
  /// Questions about the time that follow one another quickly, and nanoseconds between them; then between all others, while sound comes
  /// and while none does.
  private static let quick = 50
  private static let quickly: UInt64 = 20_000_000
  private static let steadily: UInt64 = 250_000_000
  private static let seldom: UInt64 = 1_000_000_000
  /// Answers after which the server's clock is known well enough for sound to be placed.
  private static let minCount = 10
  /// Nanoseconds for which a server may say nothing: it answers a question each second.
  private static let silence: UInt64 = 10_000_000_000
  /// Nanoseconds before and after now within which sound may have to be heard.
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
  /// When sound came last.
  private var lastPlayed: UInt64 = 0
  /// What the server is to get.
  private var outgoing: [UInt8]
  /// Blocks with their heads, for whoever plays.
  private var sound: [UInt8] = []

  /// Begins at a time, nanoseconds of the monotonic clock, with Hello.
  package init(_ identity: SnapcastIdentity, _ codecs: SnapcastCodecs, at now: UInt64) {
    self.codecs = codecs
    (lastAsked, lastHeard) = (now, now)
    outgoing = SnapcastMessage.bytes(.hello, id: 1, at: Int64(now), body: identity.hello)
  }

  /// When `pass` has to be called.
  package var deadline: UInt64 {
    min(nextQuestion, lastHeard + Self.silence)
  }

  private var nextQuestion: UInt64 {
    if asked < Self.quick { return lastAsked + Self.quickly }
    return lastAsked + (lastPlayed + Self.seldom > lastAsked ? Self.steadily : Self.seldom)
  }

  /// Notes that time has passed: asks for the server's, when that is due.
  package mutating func pass(_ now: UInt64) throws(SnapcastFailure) {
    guard now < lastHeard + Self.silence else { throw SnapcastFailure("its server does not answer any more") }
    guard now >= nextQuestion else { return }
    lastAsked = now
    asked += 1
    let id = UInt16(truncatingIfNeeded: asked + 1)
    outgoing += SnapcastMessage.bytes(.time, id: id, at: Int64(now), body: [UInt8](repeating: 0, count: 8))
  }

  /// What the server is to get now.
  package mutating func takeOutgoing() -> [UInt8] {
    defer { outgoing = [] }
    return outgoing
  }

  /// Blocks of sound that have come, with their heads.
  package mutating func takeSound() -> [UInt8] {
    defer { sound = [] }
    return sound
  }

  /// Takes bytes that have come at a time.
  package mutating func take(_ bytes: some Sequence<UInt8>, at now: UInt64) throws(SnapcastFailure) {
    lastHeard = now
    reader.take(bytes)
    while let message = try reader.next() {
      switch message.kind {
      case .serverSettings: settings = try SnapcastSettings(message.body)
      case .codecHeader: decoder = try codecs.decoder(for: message.body)
      case .time:
        guard message.body.count >= 8 else { throw SnapcastFailure("its server sends a Time without a time") }
        // The body says how long the question took, by both clocks.
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
    // Before that it would come at the wrong time.
    guard answered >= Self.minCount, let start = clock.ours(SnapcastTime.read(body[...], 0)) else { return }
    let due = start + Int64(settings.buffer - settings.latency) * 1_000_000
    // What is too late is heard nowhere; a time far off is a fault of the server's.
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
