// MPD's priority commands (prio, prioid), which order songs in random mode. Pure.

import Console

extension MPDCommand {
  static let priorities: [MPDCommand] = [
    MPDCommand("prio", 2...MPDRequest.maxArguments) { (call, _) throws(MPDRefusal) in
      let priority = try priority(call.first())
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
      let priority = try priority(call.first())
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

  private static func priority(_ word: String) throws(MPDRefusal) -> UInt8 {
    UInt8(try MPDArguments.count(word, most: 255))
  }

  private static func prioritize(
    _ priority: UInt8, _ ranges: @escaping (MPDFacts) throws(MPDRefusal) -> [Range<Int>]
  ) -> MPDPlan {
    .change { (facts) throws(MPDRefusal) in
      let edits = try ranges(facts).filter { !$0.isEmpty }.map { (range) throws(MPDRefusal) in
        let (first, last) = try ends(range)
        return QueueEdit.prioritize(.position(first), through: last, priority: priority)
      }
      return MPDQueueChange(edits: edits, isAlwaysTold: !edits.isEmpty)
    }
  }
}
