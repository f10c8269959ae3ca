// The search through a station's playlist for an address that plays. Pure; control thread.

import Platform
import Playlists
import Streaming

/// The addresses of a station: its own, and those of its playlists, which are alternatives in order of
/// preference. A playlist may name further playlists.
struct StationSearch {
  /// Maximum number of addresses tried for one station, playlists included.
  static let maxAddresses = 16
  /// Maximum nesting depth of playlists.
  static let deepest = 3
  /// Reconnection timeout in milliseconds of an address that has played, if there are alternatives.
  static let giveUpMilliseconds: UInt32 = 10_000

  private struct Address {
    let url: String
    let depth: Int
  }

  /// The address that is being tried or plays.
  var current: String { present.url }
  /// Whether an address was a playlist.
  private(set) var hasList = false
  /// Whether the present address has been recognised as audio.
  var isFound = false
  private var present: Address
  private var waiting: [Address] = []
  private var seen: [String]
  private var failures: [WorkerFailure] = []
  private let previous: String
  /// Whether the playlists named more than one address.
  var hasAlternatives: Bool { named > 1 }
  private var named = 0

  /// Starts a search.
  ///
  /// - Parameters:
  ///   - url: The address that the user named.
  ///   - previous: The address that played last. If a playlist names it, those after it are tried first.
  init(_ url: String, previous: String) {
    present = Address(url: url, depth: 0)
    seen = [url]
    self.previous = previous
  }

  /// Adds the entries of a playlist at the present address. They are tried before those already waiting.
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

  /// Records why an address does not play.
  mutating func note(_ failure: WorkerFailure) {
    if !failures.contains(failure) { failures.append(failure) }
  }

  /// Moves to the next address and returns it; nil if all have been tried.
  mutating func next() -> String? {
    guard !waiting.isEmpty else { return nil }
    present = waiting.removeFirst()
    return present.url
  }

  /// The failure of the station. It is temporary if that of one address is.
  var failure: WorkerFailure {
    let kind =
      failures.contains { $0.kind == .network }
      ? .network : failures.first?.kind ?? WorkerFailure.Kind.refused
    var text = "No address of the station's list can be played."
    for failure in failures { text += " " + failure.sentence }
    return WorkerFailure(kind, text.printable(limit: Limits.sentence - 1))
  }
}
