// Commands that are short forms of `set`. Pure; any thread.

import PlaybackModel

extension Command {
  /// The setting to which the command gives a fixed value, and the value; nil for other commands.
  package var assignment: (setting: Setting, value: SettingValue)? {
    switch self {
    case .set(let setting, let value): (setting, value)
    case .queue(.repeat(let mode)): (.queueRepeat, .choice(mode.name))
    case .queue(.shuffle(let isOn)): (.queueShuffle, .isOn(isOn))
    default: nil
    }
  }
}
