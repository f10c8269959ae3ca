// MPD's commands about audio outputs and partitions; a box has exactly one of each. Pure.

import Console

extension MPDCommand {
  static let outputs: [MPDCommand] = [
    MPDCommand("outputs", needs: .read) { (_, _) throws(MPDRefusal) in
      .order(.status) { (status) throws(MPDRefusal) in
        var lines = MPDLines()
        lines.add("outputid", 0)
        lines.add("outputname", status["output"] ?? "output")
        lines.add("plugin", "alsa")
        lines.add("outputenabled", 1)
        return .answer(lines)
      }
    },
    MPDCommand("enableoutput", 1...1) { (call, _) throws(MPDRefusal) in
      try checkOutput(call.first())
      return .done
    },
    MPDCommand("disableoutput", 1...1) { (call, _) throws(MPDRefusal) in
      try checkOutput(call.first())
      throw MPDRefusal(.argument, "the one output cannot be turned off")
    },
    MPDCommand("toggleoutput", 1...1) { (call, _) throws(MPDRefusal) in
      try checkOutput(call.first())
      throw MPDRefusal(.argument, "the one output cannot be turned off")
    },
    MPDCommand("listpartitions", needs: .read) { (_, _) throws(MPDRefusal) in
      var lines = MPDLines()
      lines.add("partition", "default")
      return .answer(lines)
    },
    MPDCommand("partition", 1...1, needs: .read) { (call, _) throws(MPDRefusal) in
      guard call.first() == "default" else { throw MPDRefusal(.noSuchThing, "partition does not exist") }
      return .done
    },
  ]

  private static func checkOutput(_ word: String) throws(MPDRefusal) {
    guard try MPDArguments.count(word) == 0 else {
      throw MPDRefusal(.noSuchThing, "No such audio output")
    }
  }
}
