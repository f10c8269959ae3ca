// Commands about how the queue is played, and how loud. Pure.

import Platform

extension MPDCommand {
  /// What is not repeated is not repeated alone.
  private static func single(_ isOn: Bool, _ status: BoxFields) -> MPDPlan {
    status["repeat"] == "off" ? .done : .order(["queue", "repeat", isOn ? "one" : "all"])
  }

  static let options: [MPDCommand] = [
    MPDCommand("setvol", 1...1) { (call, _) throws(MPDRefusal) in
      .order(["volume", String(try MPDArguments.count(call.first(), most: 100))])
    },
    MPDCommand("volume", 1...1) { (call, _) throws(MPDRefusal) in
      let change = try MPDArguments.integer(call.first())
      guard (-100...100).contains(change) else { throw MPDRefusal(.argument, "Number too large: \(change)") }
      return .order(["volume", (change < 0 ? "" : "+") + String(change)])
    },
    MPDCommand("getvol", needs: .read) { (_, _) throws(MPDRefusal) in
      .order(["status"]) { (status) throws(MPDRefusal) in
        var lines = MPDLines()
        if let volume = status["volume"] { lines.add("volume", volume) }
        return .answer(lines)
      }
    },
    MPDCommand("random", 1...1) { (call, _) throws(MPDRefusal) in
      .order(["queue", "shuffle", try MPDArguments.isOn(call.first()) ? "on" : "off"])
    },
    MPDCommand("repeat", 1...1) { (call, session) throws(MPDRefusal) in
      let isOn = try MPDArguments.isOn(call.first())
      return .order(["queue", "repeat", !isOn ? "off" : session.wantsSingle ? "one" : "all"])
    },
    MPDCommand("single", 1...1) { (call, session) throws(MPDRefusal) in
      // What a box calls 'sleep track'.
      guard call.first() != "oneshot" else { return .order(["sleep", "track"]) }
      let isOn = try MPDArguments.isOn(call.first())
      session.wantsSingle = isOn
      return .order(["status"]) { (status) throws(MPDRefusal) in
        guard status["sleep-after"] != "track" else {
          return .order(["sleep", "off"]) { (_) throws(MPDRefusal) in single(isOn, status) }
        }
        return single(isOn, status)
      }
    },
    MPDCommand("consume", 1...1) { (call, _) throws(MPDRefusal) in
      guard try !MPDArguments.isOn(call.first()) else {
        throw MPDRefusal(
          .argument, "a box keeps what it has played; 'queue.end clear' empties the queue at its end")
      }
      return .done
    },
    MPDCommand("crossfade", 1...1) { (call, _) throws(MPDRefusal) in
      .order(["crossfade", String(try MPDArguments.count(call.first(), most: 15))])
    },
    MPDCommand("mixrampdb", 1...1) { (call, _) throws(MPDRefusal) in
      _ = try MPDArguments.seconds(call.first())
      return .done
    },
    MPDCommand("mixrampdelay", 1...1) { (call, _) throws(MPDRefusal) in
      guard call.first() != "nan" else { return .done }
      throw MPDRefusal(.argument, "a box has no MixRamp; 'crossfade' fades")
    },
    MPDCommand("replay_gain_mode", 1...1) { (call, _) throws(MPDRefusal) in
      switch call.first() {
      case "off", "track", "album": return .order(["set", "gain.mode", call.first()])
      case "auto": return .order(["set", "gain.mode", "album"])
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
