// Keeps rings mapped that the mixer reads besides the two decks, by number. A value; control thread.

/// The owners of rings in use by the mixer, each under a number.
struct LentRings<Owner> {
  private var last: UInt32 = 0
  private var owners: [(id: UInt32, owner: Owner)] = []

  var isEmpty: Bool { owners.isEmpty }

  /// Registers a ring's owner before its ring is attached. Returns its number.
  mutating func lend(_ owner: Owner) -> UInt32 {
    last &+= 1
    owners.append((last, owner))
    return last
  }

  /// Removes a ring that the mixer has released. Returns its owner; nil if it was removed before.
  @discardableResult
  mutating func takeBack(_ id: UInt32) -> Owner? {
    guard let place = owners.firstIndex(where: { $0.id == id }) else { return nil }
    return owners.remove(at: place).owner
  }
}
