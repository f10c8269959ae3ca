// Which byte of a station became which frame. Pure; worker process.

import AudioRing

/// Pairs of bytes and the frames that their sound begins with, as far as the window reaches.
///
/// Between two pairs, bytes count as evenly spread; beyond them, at the pace of all that is known.
struct StationTimeline {
  private struct Node {
    let offset: Int64
    let position: Int64
  }

  /// Pairs that are kept at most.
  static let limit = 2048

  private var nodes: [Node] = []
  /// Bytes between two pairs at least.
  private let spacing: Int64

  /// For a window of so many bytes.
  init(window: Int64) { spacing = max(1024, window / Int64(Self.limit / 2)) }

  /// Whether no pair is known.
  var isEmpty: Bool { nodes.isEmpty }

  /// The sound of a byte begins with a frame. What is nearer than the spacing to the last pair, or no later in both, is passed over.
  mutating func note(offset: Int64, position: Int64) {
    guard let last = nodes.last else { return nodes.append(Node(offset: offset, position: position)) }
    guard offset - last.offset >= spacing, position > last.position else { return }
    if nodes.count == Self.limit { nodes.removeFirst() }
    nodes.append(Node(offset: offset, position: position))
  }

  /// Bytes before that one are gone; one pair before it stays, from which others are measured.
  mutating func forget(before offset: Int64) {
    guard let first = nodes.lastIndex(where: { $0.offset <= offset }), first > 0, nodes.count - first > 1
    else {
      return
    }
    nodes.removeFirst(first)
  }

  /// Bytes that a million frames take on average; nil before that is known.
  var pace: Int64? {
    guard let first = nodes.first, let last = nodes.last, last.position > first.position else { return nil }
    return max(1, Int64(Double(last.offset - first.offset) * 1e6 / Double(last.position - first.position)))
  }

  /// What the engine has to know to measure the window; nil before a pace is known.
  var point: StationPlace.Point? {
    guard let last = nodes.last, let pace else { return nil }
    return StationPlace.Point(offset: last.offset, position: last.position, pace: pace)
  }

  /// The byte whose sound begins with a frame; nil before a pace is known.
  func offset(of position: Int64) -> Int64? {
    guard let pace, let first = nodes.first, let last = nodes.last else { return nil }
    guard let after = nodes.firstIndex(where: { $0.position > position }) else {
      return last.offset + Int64(Double(position - last.position) * Double(pace) / 1e6)
    }
    guard after > 0 else {
      return first.offset - Int64(Double(first.position - position) * Double(pace) / 1e6)
    }
    let (a, b) = (nodes[after - 1], nodes[after])
    let part = Double(position - a.position) / Double(b.position - a.position)
    return a.offset + Int64(part * Double(b.offset - a.offset))
  }

  /// The frame that a byte's sound begins with; nil before a pace is known.
  func position(of offset: Int64) -> Int64? {
    guard let pace, let first = nodes.first, let last = nodes.last else { return nil }
    guard let after = nodes.firstIndex(where: { $0.offset > offset }) else {
      return last.position + Int64(Double(offset - last.offset) * 1e6 / Double(pace))
    }
    guard after > 0 else {
      return max(0, first.position - Int64(Double(first.offset - offset) * 1e6 / Double(pace)))
    }
    let (a, b) = (nodes[after - 1], nodes[after])
    let part = Double(offset - a.offset) / Double(b.offset - a.offset)
    return a.position + Int64(part * Double(b.position - a.position))
  }
}
