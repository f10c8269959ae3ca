// Who owns the rings that the mixer may read beside the two decks. A value; control thread.

/// Owners of rings, by the numbers under which the mixer has them.
struct LentRings<Owner> {
  private var last: UInt32 = 0
  private var owners: [(id: UInt32, owner: Owner)] = []

  var isEmpty: Bool { owners.isEmpty }

  /// The mixer gets the ring of an owner. Answers its number.
  mutating func lend(_ owner: Owner) -> UInt32 {
    last &+= 1
    owners.append((last, owner))
    return last
  }

  /// The mixer has let go of a ring. Answers its owner, unless it had done so before.
  @discardableResult
  mutating func takeBack(_ id: UInt32) -> Owner? {
    guard let place = owners.firstIndex(where: { $0.id == id }) else { return nil }
    return owners.remove(at: place).owner
  }
}
