// Access to the machine's tz database. Control thread, at startup and when the user sets a zone; reads small
// files of the root file system.

/// The time zones of the machine.
package enum TimeZoneDatabase {
  /// Reads the first bytes of a file; nil if it cannot be read.
  package typealias Reader = (_ path: String, _ limit: Int) -> [UInt8]?

  private static let folder = "/usr/share/zoneinfo"
  /// The zones by country; the third column is the name.
  private static let list = folder + "/zone.tab"
  private static let maxList = 1 << 20

  /// The rules of a zone; nil if the database has no zone of that name.
  package static func rules(_ name: String, read: Reader = file) -> TimeZoneRules? {
    guard TimeZoneRules.isName(name), let file = read(folder + "/" + name, TimeZoneRules.maxFile + 1) else {
      return nil
    }
    return TimeZoneRules(file)
  }

  /// The reason why a zone cannot be used, as text that follows the setting's name; nil if it can.
  package static func refusal(of name: String, read: Reader = file) -> String? {
    guard rules(name, read: read) == nil else { return nil }
    let names = names(read: read)
    guard !names.isEmpty else {
      return "cannot be '" + name
        + "': this machine has no time zones; install them with: sudo apt install tzdata"
    }
    return "cannot be '" + name + "': there is no such time zone"
      + (nearest(to: name, among: names).map { "; did you mean '" + $0 + "'?" }
        ?? "; a zone is named by continent and city, such as Europe/Berlin")
  }

  /// The zones of all countries, and UTC.
  private static func names(read: Reader) -> [String] {
    var names: [String] = []
    for line in (read(list, maxList) ?? []).split(separator: 0x0A) where line.first != 0x23 {
      let fields = line.split(separator: 0x09)
      if fields.count >= 3 { names.append(String(decoding: fields[2], as: UTF8.self)) }
    }
    return names.isEmpty || names.contains("UTC") ? names : names + ["UTC"]
  }

  /// The zone of a city given without its continent, or the nearest name.
  private static func nearest(to name: String, among names: [String]) -> String? {
    let small = name.asciiLowercased
    let typed = String(decoding: small.utf8.map { $0 == 0x20 ? 0x5F : $0 }, as: UTF8.self)
    func city(_ name: String) -> String {
      String(decoding: name.asciiLowercased.utf8.split(separator: 0x2F).last ?? [], as: UTF8.self)
    }
    if let zone = names.first(where: { city($0) == typed }) { return zone }
    if let zone = NearestWord.name(to: name, among: names) { return zone }
    let cities = names.map { city($0) }
    guard let near = NearestWord.find(to: city(name), among: cities) else { return nil }
    return zip(names, cities).first { $0.1 == near }?.0
  }

  /// Reads the first bytes of a file of this machine; nil if it cannot be read.
  package static func file(_ path: String, _ limit: Int) -> [UInt8]? {
    try? TextFile.bytes(path, limit: limit)
  }
}
