// Which of a station's addresses is tried next. Pure; control thread.

import Platform
import Streaming

/// The way from a station's list to an address that plays. A list holds alternatives of one station, best first; it may name other
/// lists.
struct StationSearch {
  /// Addresses that are tried for one station, those of lists included.
  static let maxAddresses = 16
  /// Lists that lie in one another.
  static let deepest = 3
  /// Milliseconds for which one that was heard is waited for where there are others.
  static let giveUpMilliseconds: UInt32 = 10_000

  private struct Address {
    let url: String
    let depth: Int
  }

  /// The address that is tried, or plays.
  var current: String { present.url }
  /// Whether the station has a list.
  private(set) var hasList = false
  /// Whether the present address is one with sound.
  var isFound = false
  private var present: Address
  private var waiting: [Address] = []
  private var seen: [String]
  private var failures: [WorkerFailure] = []
  private let previous: String
  /// Whether more than one address was named.
  var hasAlternatives: Bool { named > 1 }
  private var named = 0

  /// Begins with the address that a person has named. Behind `previous`, where a list names it, the search goes on.
  init(_ url: String, previous: String) {
    present = Address(url: url, depth: 0)
    seen = [url]
    self.previous = previous
  }

  /// The present address is a list. What it names is tried before what waits already.
  mutating func take(_ entries: [PlaylistEntry]) {
    hasList = true
    guard present.depth < Self.deepest else {
      return note(
        WorkerFailure(.refused, "The station's lists name one another, more than \(Self.deepest) deep."))
    }
    var named: [Address] = []
    for entry in entries {
      guard let url = WebAddress.resolve(entry.path, against: present.url) else {
        note(
          WorkerFailure(
            .refused,
            "The station's list names \(entry.path.printable(limit: 120)), which is no address of a stream."))
        continue
      }
      guard !seen.contains(url) else {
        note(WorkerFailure(.refused, "The station's lists lead back to where they began."))
        continue
      }
      guard seen.count < Self.maxAddresses else { break }
      seen.append(url)
      named.append(Address(url: url, depth: present.depth + 1))
    }
    if let place = named.firstIndex(where: { $0.url == previous }) {
      named = Array(named[(place + 1)...] + named[...place])
    }
    self.named += named.count
    waiting = named + waiting
  }

  /// An address does not play.
  mutating func note(_ failure: WorkerFailure) {
    if !failures.contains(failure) { failures.append(failure) }
  }

  /// Moves to the next address, which is returned; nil where all were tried.
  mutating func next() -> String? {
    guard !waiting.isEmpty else { return nil }
    present = waiting.removeFirst()
    return present.url
  }

  /// Why none of them plays. What may pass for one of them may pass for the station.
  var failure: WorkerFailure {
    let kind =
      failures.contains { $0.kind == .network }
      ? .network : failures.first?.kind ?? WorkerFailure.Kind.refused
    var text = "No address of the station's list can be played."
    for failure in failures { text += " " + failure.sentence }
    return WorkerFailure(kind, text.printable(limit: Limits.sentence - 1))
  }
}
