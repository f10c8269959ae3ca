// Finds the frames and pages in a station's bytes. Test threads.

import Foundation

extension Station {
  /// The positions of all units and one past the last; frames are counted from the first unit.
  static func spans(of bytes: [UInt8], _ format: StationFormat) -> [Unit] {
    switch format.ending {
    case "mp3", "mp2", "mp1": mpegUnits(bytes)
    case "aac": adtsUnits(bytes)
    case "flac": flacUnits(bytes)
    case "wav": waveUnits(bytes)
    case "wv": wavPackUnits(bytes)
    default: pages(bytes, opus: format.codec == "Opus")
    }
  }

  private static func mpegUnits(_ bytes: [UInt8]) -> [Unit] {
    var place = 0
    if bytes.starts(with: Array("ID3".utf8)) {
      place = 10 + bytes[6..<10].reduce(0) { $0 << 7 | Int($1) }
    }
    var units: [Unit] = []
    var frame = 0
    while place + 4 <= bytes.count, bytes[place] == 0xFF {
      let (isFull, layer) = (bytes[place + 1] & 8 != 0, 4 - Int(bytes[place + 1] >> 1 & 3))
      let (index, padding) = (Int(bytes[place + 2] >> 4), Int(bytes[place + 2] >> 1 & 1))
      let rate = [44_100, 48_000, 32_000][Int(bytes[place + 2] >> 2 & 3)] / (isFull ? 1 : 2)
      let rates =
        layer == 1
        ? [0, 32, 64, 96, 128] : [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
      let samples = layer == 1 ? 384 : layer == 2 || isFull ? 1152 : 576
      units.append(Unit(offset: place, frame: frame))
      let slots = samples / 8 * rates[index] * 1000 / rate
      place += layer == 1 ? (12 * rates[index] * 1000 / rate + padding) * 4 : slots + padding
      frame += samples
    }
    return units + [Unit(offset: place, frame: frame)]
  }

  private static func adtsUnits(_ bytes: [UInt8]) -> [Unit] {
    var units: [Unit] = []
    var place = 0
    while place + 7 <= bytes.count {
      units.append(Unit(offset: place, frame: units.count * 1024))
      place += Int(bytes[place + 3] & 3) << 11 | Int(bytes[place + 4]) << 3 | Int(bytes[place + 5] >> 5)
    }
    return units + [Unit(offset: place, frame: units.count * 1024)]
  }

  /// Frames are found by their numbers, which take one byte up to 127.
  private static func flacUnits(_ bytes: [UInt8]) -> [Unit] {
    var units: [Unit] = []
    for place in 42..<(bytes.count - 5)
    where bytes[place] == 0xFF && bytes[place + 1] == 0xF8 && Int(bytes[place + 4]) == units.count
      && bytes[place + 3] & 0xF1 == 0
    {
      units.append(Unit(offset: place, frame: units.count * 576))
    }
    return units + [Unit(offset: bytes.count, frame: 57_600)]
  }

  /// Blocks contain their length and the number of their first frame.
  private static func wavPackUnits(_ bytes: [UInt8]) -> [Unit] {
    func little(_ place: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) } }
    var units: [Unit] = []
    var (place, frame) = (0, 0)
    while place + 32 <= bytes.count, bytes[place...].starts(with: Array("wvpk".utf8)) {
      units.append(Unit(offset: place, frame: little(place + 16)))
      frame = little(place + 16) + little(place + 20)
      place += 8 + little(place + 4)
    }
    return units + [Unit(offset: place, frame: frame)]
  }

  private static func waveUnits(_ bytes: [UInt8]) -> [Unit] {
    let size = 200
    let units = stride(from: 44, to: bytes.count, by: size).map { Unit(offset: $0, frame: ($0 - 44) / 2) }
    return units + [Unit(offset: bytes.count, frame: (bytes.count - 44) / 2)]
  }

  /// Pages of sound; each starts where the previous one ends.
  private static func pages(_ bytes: [UInt8], opus: Bool) -> [Unit] {
    var units: [Unit] = []
    var (place, frame) = (0, 0)
    while place + 27 <= bytes.count {
      let position = bytes[(place + 6)..<(place + 14)].reversed().reduce(0) { $0 << 8 | Int($1) }
      let segments = Int(bytes[place + 26])
      let body = bytes[(place + 27)..<(place + 27 + segments)].reduce(0) { $0 + Int($1) }
      if position > 0 {
        units.append(Unit(offset: place, frame: frame))
        frame = position
      }
      place += 27 + segments + body
    }
    return units + [Unit(offset: place, frame: frame)]
  }
}
