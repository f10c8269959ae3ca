// Settings of the volume, its limits and the night limit, with their typed values. Pure; any thread.

import PlaybackModel

extension SettingTable {
  static let volume: [SettingDeclaration] = [
    SettingDeclaration(
      .volumeStart, "volume.start", .integer(0...100, unit: "%"),
      or: Choice("last", "as before power-off"), default: "last", applies: .atNextStart,
      "The volume after power-on, within the maximum and the night limit."),
    SettingDeclaration(
      .volumeMaximum, "volume.maximum", .integer(1...100, unit: "%"), default: "100",
      "The loudest volume; neither commands nor knobs exceed it."),
    SettingDeclaration(
      .volumeStep, "volume.step", .integer(1...20, unit: "%"), default: "5",
      "The step of 'volume up' and 'volume down'."),
    SettingDeclaration(
      .volumeCurve, "volume.curve",
      .choice([
        Choice("cubic", "50 % is -18 dB and 10 % is -60 dB, below which most speakers are silent"),
        Choice("even", "each percent is about half a decibel: 50 % is -25 dB, 10 % is -45 dB, 1 % is -50 dB"),
      ]), default: "cubic",
      "How loud a volume is. The configuration of a new box chooses even; a box from before keeps cubic, so that no stored volume "
        + "becomes louder."),
    SettingDeclaration(
      .nightFrom, "night.from", .timeOfDay, or: Choice("off", "no night limit"), default: "off",
      "When the night limit begins, in local time."),
    SettingDeclaration(
      .nightTo, "night.to", .timeOfDay, default: "07:00", "When the night limit ends."),
    SettingDeclaration(
      .nightMaximum, "night.maximum", .integer(0...100, unit: "%"), default: "30",
      "The loudest volume between night.from and night.to."),
  ]
}

extension Settings {
  /// The volume after power-on in percent; nil: the last volume.
  package var startVolume: Int? { integer(.volumeStart) }
  /// The highest volume in percent, outside the night limit.
  package var maximumVolume: Int { whole(.volumeMaximum) }
  /// The hours of the night limit; nil without one.
  var night: DailyHours? { DailyHours(from: minutes(.nightFrom), to: minutes(.nightTo)) }
  /// Minutes until the night limit begins or ends next, at least 1; nil without one.
  ///
  /// - Parameter minute: The local time, in minutes since midnight.
  package func minutesToNightBorder(atMinute minute: Int) -> Int? { night?.minutesToBorder(from: minute) }
  /// The mapping of volume to gain.
  package var volumeCurve: VolumeCurve { choice(.volumeCurve).flatMap { VolumeCurve(name: $0) } ?? .cubic }
  /// Percentage points of one volume step.
  package var volumeStep: Int { whole(.volumeStep) }
  /// The highest volume in percent at a local time; the night limit may span midnight.
  ///
  /// - Parameter minute: The local time, in minutes since midnight.
  package func maximumVolume(atMinute minute: Int) -> Int {
    let isNight = night?.contains(minute) ?? false
    return isNight ? min(maximumVolume, whole(.nightMaximum)) : maximumVolume
  }
}
