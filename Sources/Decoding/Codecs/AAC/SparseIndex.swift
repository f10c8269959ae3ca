// The places of some items of a long sequence, for seeking. A value; worker process only.

/// Places of every `stride`-th item. The stride doubles when the index is full, so its size is bounded.
struct SparseIndex<Place> {
  private(set) var places: [Place]
  private(set) var stride: Int64
  private static var maxPlaces: Int { 1 << 15 }

  /// Creates an index with the place of item 0.
  init(_ first: Place, stride: Int64) {
    places = [first]
    self.stride = stride
  }

  /// Records the place of an item. Items must be recorded in order; repeated ones are ignored.
  mutating func note(_ item: Int64, at place: Place) {
    guard item == Int64(places.count) * stride else { return }
    if places.count == Self.maxPlaces {
      for index in 0..<(places.count / 2) { places[index] = places[2 * index] }
      places.removeLast(places.count / 2)
      stride *= 2
      guard item == Int64(places.count) * stride else { return }
    }
    places.append(place)
  }

  /// The last recorded item up to `item`, and its place.
  func last(upTo item: Int64) -> (item: Int64, place: Place) {
    let index = min(item / stride, Int64(places.count - 1))
    return (index * stride, places[Int(index)])
  }
}
