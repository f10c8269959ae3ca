// Parses and formats equaliser bands: `peak 80Hz +3dB Q0.7`. Pure; any thread.

import Platform
import PlaybackModel

extension SettingKind {
  /// A description of valid bands, for errors and help.
  static let wantedBand =
    "SHAPE FREQUENCY [GAIN] [QUALITY], such as peak 80Hz +3dB Q0.7; shapes are " + joined(shapeNames)

  /// The names of the shapes.
  static let shapeNames = EqualizerBand.Shape.allCases.map { $0.name }

  /// Parses a band: shape, frequency, gain for shapes that have one, and quality, by default 0.707.
  ///
  /// - Throws: `wrongUsage` for a missing part, `badValue` for an invalid one.
  static func band(_ words: [String]) throws(ConsoleError) -> EqualizerBand {
    guard let first = words.first, let shape = shape(first) else {
      let word = words.first ?? ""
      throw ConsoleError(
        .badValue,
        "cannot be '" + word + "': a band is " + wantedBand + Spelling.hint(word, among: shapeNames))
    }
    var rest = words.dropFirst()
    guard let word = rest.popFirst() else { throw ConsoleError(.wrongUsage, "wants " + wantedBand) }
    guard let hertz = frequency(word) else {
      throw ConsoleError(
        .badValue, "cannot have the frequency '" + word + "': it is from 10Hz to 20kHz")
    }
    var gain = 0.0
    if shape.hasGain {
      guard let word = rest.popFirst() else {
        throw ConsoleError(.wrongUsage, "wants a gain, such as +3dB: " + wantedBand)
      }
      guard let decibels = kept(gainText(word), "dB", decimals: 2), EqualizerBand.gains.contains(decibels)
      else {
        throw ConsoleError(
          .badValue, "cannot have the gain '" + word + "': it is from -24dB to +12dB")
      }
      gain = decibels
    }
    var quality = EqualizerBand.plainQuality
    if let word = rest.popFirst() {
      guard let number = self.quality(word) else {
        throw ConsoleError(
          .badValue, "cannot have the quality '" + word + "': it is from Q0.1 to Q20")
      }
      quality = number
    }
    if let extra = rest.first {
      throw ConsoleError(.badValue, "takes no '" + extra + "': a band is " + wantedBand)
    }
    guard let band = EqualizerBand(shape, frequency: hertz, gain: gain, quality: quality) else {
      throw ConsoleError(.badValue, "wants " + wantedBand)
    }
    return band
  }

  /// Formats a band as words that `band(_:)` parses to the same value.
  static func words(of band: EqualizerBand) -> [String] {
    var words = [band.shape.name, shortestText(band.frequency, decimals: 1) + "Hz"]
    if band.shape.hasGain {
      words.append((band.gain < 0 ? "" : "+") + shortestText(band.gain, decimals: 2) + "dB")
    }
    if band.quality != EqualizerBand.plainQuality {
      words.append("Q" + shortestText(band.quality, decimals: 3))
    }
    return words
  }

  private static func shape(_ word: String) -> EqualizerBand.Shape? {
    let name = Spelling.small(word)
    return EqualizerBand.Shape.allCases.first { $0.name == name }
  }

  /// Parses a frequency: `80`, `80Hz`, `1.5kHz` or `1.5k`.
  private static func frequency(_ word: String) -> Double? {
    let bytes = Array(Spelling.small(word).utf8)
    let ending = bytes.suffix(3).elementsEqual("khz".utf8) ? 3 : bytes.last == 0x6B ? 1 : 0
    let hertz: Double?
    if ending > 0 {
      hertz = Decimal.parse(String(decoding: bytes.dropLast(ending), as: UTF8.self)[...]).flatMap {
        kept(shortestText($0 * 1000, decimals: 1), "", decimals: 1)
      }
    } else {
      hertz = kept(word, "hz", decimals: 1)
    }
    guard let hertz, EqualizerBand.frequencies.contains(hertz) else { return nil }
    return hertz
  }

  private static func quality(_ word: String) -> Double? {
    guard let first = word.utf8.first, first | 0x20 == 0x71,
      let number = kept(String(decoding: word.utf8.dropFirst(), as: UTF8.self), "", decimals: 3),
      EqualizerBand.qualities.contains(number)
    else { return nil }
    return number
  }

  /// Removes a leading plus sign, which the number parser does not accept.
  private static func gainText(_ word: String) -> String {
    let rest = word.utf8.dropFirst()
    guard word.utf8.first == 0x2B, let next = rest.first, next != 0x2D else { return word }
    return String(decoding: rest, as: UTF8.self)
  }

  /// Rounds a number to the precision in which it is saved.
  private static func kept(_ word: String, _ unit: String, decimals: Int) -> Double? {
    decimal(word, unit: unit).flatMap { Decimal.parse(shortestText($0, decimals: decimals)[...]) }
  }
}
