// MPD's priority commands (prio, prioid), which order songs in random mode. Pure.

extension MPDCommand {
  static let priorities: [MPDCommand] = [
    MPDCommand("prio", 2...MPDRequest.maxArguments) { (call, _) throws(MPDRefusal) in
      let priority = try MPDArguments.count(call.first(), most: 255)
      let words = call.arguments.dropFirst()
      return prioritize(priority) { (facts) throws(MPDRefusal) in
        var ranges: [Range<Int>] = []
        for word in words {
          ranges.append(try MPDArguments.range(word, count: facts.queue.entries.count))
        }
        return ranges
      }
    },
    MPDCommand("prioid", 2...MPDRequest.maxArguments) { (call, _) throws(MPDRefusal) in
      let priority = try MPDArguments.count(call.first(), most: 255)
      var ids: [Int] = []
      for word in call.arguments.dropFirst() { ids.append(try MPDArguments.count(word)) }
      return prioritize(priority) { [ids] (facts) throws(MPDRefusal) in
        var ranges: [Range<Int>] = []
        for id in ids {
          let place = try facts.queue.index(of: id)
          ranges.append(place..<place + 1)
        }
        return ranges
      }
    },
  ]

  private static func prioritize(
    _ priority: Int, _ ranges: @escaping (MPDFacts) throws(MPDRefusal) -> [Range<Int>]
  ) -> MPDPlan {
    .change { (facts) throws(MPDRefusal) in
      let edits = try ranges(facts).filter { !$0.isEmpty }.map {
        ["priority", String(priority), String($0.lowerBound + 1), String($0.upperBound)]
      }
      return MPDQueueChange(edits: edits, isAlwaysTold: !edits.isEmpty)
    }
  }
}
