// Client of a console session of a simulated box: types lines and checks that each is answered. One thread.

import Platform
import PlaybackModel

/// Client end of a console session, which matches answers to the lines it typed.
final class Correspondent {
  struct Order {
    let text: String
    let at: UInt64
    /// How the box interpreted the line, what it claimed at that moment, and when that was.
    var taken: (action: Action, claims: Claims, at: UInt64)?
  }

  let wire: SimulatedWire
  private unowned let box: SimulatedBox
  private var orders: [Order] = []
  private var lastAnswer: UInt64 = 0
  /// When the client typed last. The box closes sessions after ten minutes of silence.
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

  // The box may hold its end of the wire a little longer.
  deinit {
    wire.onTaken = { _ in }
    wire.onSaid = { _ in }
  }

  var isIdle: Bool { orders.isEmpty }
  /// Nanoseconds within which a requested action must begin. Each pending line may need its own look-up, one after
  /// the other.
  var timeout: UInt64 { UInt64(orders.count) * 33_000_000_000 }

  func type(_ text: String) {
    typedAt = box.now
    let whole = half + text
    half = ""
    let words = whole.split(separator: " ")
    if let first = words.first, !first.hasPrefix("#") { orders.append(Order(text: whole, at: box.now)) }
    wire.send(Array((text + "\n").utf8))
    // The session ends after this line, so no further answer is expected.
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

  /// Reports a line that has waited too long for its answer.
  func judge(at now: UInt64) {
    guard isOpen, let first = orders.first else { return }
    box.unanswered(first, since: max(first.at, lastAnswer))
  }
}
