// MPD's commands for playback options (repeat, random, single, crossfade, replay gain) and volume. Pure.

import Console
import Platform
import PlaybackModel

extension MPDCommand {
  /// Sets `single`. The daemon has no such option while repeat is off, so the server remembers it until repeat is on.
  private static func single(_ isOn: Bool, _ status: BoxFields, _ facts: MPDFacts) -> MPDPlan {
    let isOneShot = status["sleep-after"] == "track"
    var orders: [Command] = isOneShot ? [.sleep(.off)] : []
    if status["repeat"] != "off" { orders.append(.queue(.repeat(isOn ? .one : .all))) }
    let isSame = !isOneShot && MPDStatus.isSingle(status, facts) == isOn
    return .keep(
      { $0.isSingle = isOn }, then: .orders(orders, then: isSame ? .done : .told(.options)))
  }

  /// Formats a number with up to 3 decimals and without trailing zeros.
  private static func shortestText(_ number: Double) -> String {
    var bytes = Array(Decimal.format(number, decimals: 3).utf8)
    while bytes.last == 0x30 { bytes.removeLast() }
    if bytes.last == 0x2E { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  static let options: [MPDCommand] = [
    MPDCommand("setvol", 1...1) { (call, _) throws(MPDRefusal) in
      .orders([.volume(.to(try MPDArguments.count(call.first(), most: 100)))], then: .told(.mixer))
    },
    MPDCommand("volume", 1...1) { (call, _) throws(MPDRefusal) in
      let change = try MPDArguments.integer(call.first())
      guard (-100...100).contains(change) else {
        throw MPDRefusal(.argument, "Number too large: \(call.first())")
      }
      return .order(.volume(.by(change)))
    },
    MPDCommand("getvol", needs: .read) { (_, _) throws(MPDRefusal) in
      .order(.status) { (status) throws(MPDRefusal) in
        var lines = MPDLines()
        if let volume = status["volume"] { lines.add("volume", volume) }
        return .answer(lines)
      }
    },
    MPDCommand("random", 1...1) { (call, _) throws(MPDRefusal) in
      let isOn = try MPDArguments.isOn(call.first())
      return .order(.status) { (status) throws(MPDRefusal) in
        isOn == status.isOn("shuffle") ? .done : .order(.queue(.shuffle(isOn)))
      }
    },
    MPDCommand("repeat", 1...1) { (call, _) throws(MPDRefusal) in
      let isOn = try MPDArguments.isOn(call.first())
      return .withSettings { (facts) throws(MPDRefusal) in
        .order(.status) { (status) throws(MPDRefusal) in
          let isSingle = MPDStatus.isSingle(status, facts)
          guard isOn != (status["repeat"] != "off") else { return .done }
          return .keep(
            { $0.isSingle = isSingle },
            then: .order(.queue(.repeat(!isOn ? .off : isSingle ? .one : .all))))
        }
      }
    },
    MPDCommand("single", 1...1) { (call, _) throws(MPDRefusal) in
      // `single oneshot` corresponds to the daemon's `sleep track`.
      guard call.first() != "oneshot" else { return .order(.sleep(.behind(.track))) }
      guard let isOn = try? MPDArguments.isOn(call.first()) else {
        throw MPDRefusal(.argument, "Unrecognized single mode, expected 0, 1, or oneshot")
      }
      return .withSettings { (facts) throws(MPDRefusal) in
        .order(.status) { (status) throws(MPDRefusal) in single(isOn, status, facts) }
      }
    },
    MPDCommand("consume", 1...1) { (call, _) throws(MPDRefusal) in
      guard try !MPDArguments.isOn(call.first()) else {
        throw MPDRefusal(.argument, "consume is not supported")
      }
      return .done
    },
    MPDCommand("crossfade", 1...1) { (call, _) throws(MPDRefusal) in
      let seconds = try MPDArguments.count(call.first(), most: 15)
      return .orders([.set(.fadeLength, .decimal(Double(seconds)))], then: .told(.options))
    },
    MPDCommand("mixrampdb", 1...1) { (call, _) throws(MPDRefusal) in
      let level = Self.shortestText(try MPDArguments.seconds(call.first()))
      return .keep({ $0.mixRampLevel = level }, then: .told(.options))
    },
    MPDCommand("mixrampdelay", 1...1) { (call, _) throws(MPDRefusal) in
      guard call.first() != "nan" else { return .told(.options) }
      throw MPDRefusal(.argument, "MixRamp is not supported, crossfade is")
    },
    MPDCommand("replay_gain_mode", 1...1) { (call, _) throws(MPDRefusal) in
      switch call.first() {
      case "off", "track", "album":
        return .orders([.set(.gainMode, .choice(call.first()))], then: .told(.options))
      case "auto": return .orders([.set(.gainMode, .choice("album"))], then: .told(.options))
      default: throw MPDRefusal(.argument, "Unrecognized replay gain mode")
      }
    },
    MPDCommand("replay_gain_status", needs: .read) { (_, _) throws(MPDRefusal) in
      .withSettings { (facts) throws(MPDRefusal) in
        var lines = MPDLines()
        lines.add("replay_gain_mode", facts.gainMode)
        return .answer(lines)
      }
    },
  ]
}
