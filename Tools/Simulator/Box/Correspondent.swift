// Somebody at a session of a simulated box, who types and counts the answers. One thread.

import Platform
import PlaybackModel

/// Somebody at the other end of a session who counts the answers.
final class Correspondent {
  struct Order {
    let text: String
    let at: UInt64
    /// What it means, what the box said of itself when it took it, and when that was.
    var taken: (action: Action, claims: Claims, at: UInt64)?
  }

  let wire: SimulatedWire
  private unowned let box: SimulatedBox
  private var orders: [Order] = []
  private var lastAnswer: UInt64 = 0
  /// Whoever says nothing for ten minutes is not listened to any more.
  private(set) var typedAt: UInt64
  private var half = ""
  private(set) var isOpen = true

  init(_ wire: SimulatedWire, _ box: SimulatedBox) {
    self.wire = wire
    self.box = box
    typedAt = box.now
    wire.onTaken = { [unowned self] text in
      guard let place = orders.firstIndex(where: { $0.taken == nil && $0.text == text }) else { return }
      orders[place].taken = self.box.willTake(text)
    }
    let loses = box.loses
    wire.onSaid = { [unowned self] in if !loses() { hear($0) } }
  }

  // The box may have its end of the wire for a little longer.
  deinit {
    wire.onTaken = { _ in }
    wire.onSaid = { _ in }
  }

  var isIdle: Bool { orders.isEmpty }
  /// For how many nanoseconds something may begin that was asked for: each line may have something looked up, one after the other.
  var timeout: UInt64 { UInt64(orders.count) * 33_000_000_000 }

  func type(_ text: String) {
    typedAt = box.now
    let whole = half + text
    half = ""
    let words = whole.split(separator: " ")
    if let first = words.first, !first.hasPrefix("#") { orders.append(Order(text: whole, at: box.now)) }
    wire.send(Array((text + "\n").utf8))
    // Nothing is heard after the farewell.
    if ["exit", "quit", "logout"].contains(whole) { isOpen = false }
  }

  func typeHalf(_ text: String) {
    half += text
    wire.send(Array(text.utf8))
  }

  private func hear(_ line: String) {
    guard line.hasPrefix("{\"ok\":") || !line.hasPrefix("{") else { return }
    lastAnswer = box.now
    // `format json` is answered in the new format.
    guard !orders.isEmpty else { return box.answeredUnasked(line[...]) }
    box.answered(orders.removeFirst(), line[...])
  }

  /// Looks whether somebody waits for too long.
  func judge(at now: UInt64) {
    guard isOpen, let first = orders.first else { return }
    box.unanswered(first, since: max(first.at, lastAnswer))
  }
}
