// MPD's priority commands (prio, prioid), which order songs in random mode. Pure.

extension MPDCommand {
  static let priorities: [MPDCommand] = [
    MPDCommand("prio", 2...MPDRequest.maxArguments) { (call, _) throws(MPDRefusal) in
      let priority = try MPDArguments.count(call.first(), most: 255)
      let words = call.arguments.dropFirst()
      return .withQueue { (facts) throws(MPDRefusal) in
        var ranges: [Range<Int>] = []
        for word in words {
          ranges.append(try MPDArguments.range(word, count: facts.queue.entries.count))
        }
        return orders(priority, ranges, facts)
      }
    },
    MPDCommand("prioid", 2...MPDRequest.maxArguments) { (call, _) throws(MPDRefusal) in
      let priority = try MPDArguments.count(call.first(), most: 255)
      var ids: [Int] = []
      for word in call.arguments.dropFirst() { ids.append(try MPDArguments.count(word)) }
      return .withQueue { [ids] (facts) throws(MPDRefusal) in
        var ranges: [Range<Int>] = []
        for id in ids {
          let place = try facts.queue.index(of: id)
          ranges.append(place..<place + 1)
        }
        return orders(priority, ranges, facts)
      }
    },
  ]

  private static func orders(_ priority: Int, _ ranges: [Range<Int>], _ facts: MPDFacts) -> MPDPlan {
    let entries = facts.queue.entries
    return .orders(
      ranges.filter { !$0.isEmpty }.map {
        ["queue", "priority", String(priority), "id:\(entries[$0.lowerBound].id)", String($0.upperBound)]
      }, then: ranges.allSatisfy { $0.isEmpty } ? .done : .told(.playlist))
  }
}
