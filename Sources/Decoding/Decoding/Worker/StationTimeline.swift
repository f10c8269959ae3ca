// The mapping between a station's bytes and frames. Pure; worker process only.

import AudioRing

/// Pairs of byte offsets and frames within the window. Interpolates linearly between pairs, and extrapolates
/// with the average byte rate.
struct StationTimeline {
  private struct Node {
    let offset: Int64
    let position: Int64
  }

  /// Maximum number of pairs.
  static let limit = 2048

  private var nodes: [Node] = []
  /// Minimum distance of two pairs in bytes.
  private let spacing: Int64

  /// Creates a mapping.
  ///
  /// - Parameter window: Size of the window in bytes.
  init(window: Int64) { spacing = max(1024, window / Int64(Self.limit / 2)) }

  /// Whether there are no pairs.
  var isEmpty: Bool { nodes.isEmpty }

  /// Adds a pair. Ignored if it is closer than the spacing to the last pair, or not after it.
  mutating func note(offset: Int64, position: Int64) {
    guard let last = nodes.last else { return nodes.append(Node(offset: offset, position: position)) }
    guard offset - last.offset >= spacing, position > last.position else { return }
    if nodes.count == Self.limit { nodes.removeFirst() }
    nodes.append(Node(offset: offset, position: position))
  }

  /// Evicts pairs before an offset, except for the last one, which is needed for interpolation.
  mutating func forget(before offset: Int64) {
    guard let first = nodes.lastIndex(where: { $0.offset <= offset }), first > 0, nodes.count - first > 1
    else {
      return
    }
    nodes.removeFirst(first)
  }

  /// Average number of bytes per million frames; nil until it is known.
  var pace: Int64? {
    guard let first = nodes.first, let last = nodes.last, last.position > first.position else { return nil }
    return max(1, Int64(Double(last.offset - first.offset) * 1e6 / Double(last.position - first.position)))
  }

  /// The values that the engine needs to convert offsets of the window to frames; nil until the byte rate is
  /// known.
  var point: StationPlace.Point? {
    guard let last = nodes.last, let pace else { return nil }
    return StationPlace.Point(offset: last.offset, position: last.position, pace: pace)
  }

  /// The offset of a frame; nil until the byte rate is known.
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

  /// The frame at an offset; nil until the byte rate is known.
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
