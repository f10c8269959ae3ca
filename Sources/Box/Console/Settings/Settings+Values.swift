// Typed accessors for the values of all settings. Values; control thread.

import Controls
import PlaybackModel
import Platform

extension Setting {
  /// The default path of the control socket.
  package static let usualSocketPath = "/run/swiftlet/control"
}

extension Settings {
  // The table fixes the kind of each setting and `set` enforces it, so these accessors cannot fail. A test
  // reads all of them.

  func integer(_ setting: Setting) -> Int? {
    if case .integer(let number) = value(setting) { number } else { nil }
  }

  func number(_ setting: Setting) -> Double {
    guard case .decimal(let number) = value(setting) else { preconditionFailure("not a number") }
    return number
  }

  func seconds(_ setting: Setting) -> Seconds { Seconds(number(setting)) }

  func isOn(_ setting: Setting) -> Bool { value(setting) == .isOn(true) }

  /// The name of the choice; nil for the special word.
  func choice(_ setting: Setting) -> String? {
    if case .choice(let name) = value(setting) { name } else { nil }
  }

  func text(_ setting: Setting) -> String? {
    if case .text(let text) = value(setting) { text } else { nil }
  }

  func minutes(_ setting: Setting) -> Int? {
    if case .timeOfDay(let minutes) = value(setting) { minutes } else { nil }
  }

  /// The number of a setting without a special word.
  func whole(_ setting: Setting) -> Int {
    guard case .integer(let number) = value(setting) else { preconditionFailure("not a whole number") }
    return number
  }

  /// The choice of a setting without a special word.
  func word(_ setting: Setting) -> String {
    guard case .choice(let name) = value(setting) else { preconditionFailure("not a choice") }
    return name
  }

  /// The text of a setting without a special word.
  func requiredText(_ setting: Setting) -> String {
    guard case .text(let text) = value(setting) else { preconditionFailure("not a text") }
    return text
  }

  func milliseconds(_ setting: Setting) -> Seconds? {
    integer(setting).map { Seconds(Double($0) / 1000) }
  }
}

extension PlayerSettings {
  /// Extracts the settings that the player's state machine uses.
  ///
  /// - Parameters:
  ///   - settings: The box's settings.
  ///   - rate: The output's sample rate.
  package init(_ settings: Settings, rate: SampleRate) {
    self.init(rate: rate)
    fadesManually = settings.manualFadeLength > .zero
    manualFadeLength = settings.manualFadeLength
    automaticFadeLength = settings.fadeLength
    curve = settings.fadeCurve
    stopFadeLength = settings.stopFade
    sleepFadeLength = settings.sleepFade
    pauseRamp = settings.pauseRamp
    quickFinishThreshold = settings.quickFinishThreshold
  }
}
