// Runs console commands on a player without a daemon, for `Engine` and for the keys and scripts of `swiftlet play`.
// Control thread.

import Console
import PlaybackModel
import Player

/// Carries out the playback, volume, equalizer and fade commands of the console on a player.
package final class PlayCommands {
  private var settings: Settings
  private let player: Player
  /// The volume before `mute`; nil while not muted.
  private var beforeMute: Volume?

  /// Creates the command handler and applies `settings` to the player.
  package init(_ player: Player, _ settings: Settings) {
    self.player = player
    self.settings = settings
    player.adopt(settings)
    player.setVolume(player.volume, curve: settings.volumeCurve)
  }

  /// Whether a command works without a daemon: it affects the sound, or ends the program.
  package static func accepts(_ command: Command) -> Bool {
    switch command {
    case .volume(.some), .mute, .exit, .queue(.shuffle), .queue(.repeat), .clearEqualizer: true
    case .set(let setting, _), .cycle(let setting), .unset(let setting?): isHeard(setting)
    default: Player.performs(command)
    }
  }

  private static func isHeard(_ setting: Setting) -> Bool {
    switch setting {
    case .volumeMaximum, .volumeStep, .volumeCurve, .outputMono: true
    default:
      ["eq", "speaker", "loudness", "fade", "pause", "stop", "queue", "gain"].contains(
        setting.declaration.group)
    }
  }

  /// The reason for which a command would be refused now; nil if it would be accepted. Changes nothing.
  package func refusal(of command: Command) -> ConsoleError? {
    if let error = player.refusal(of: command) { return error }
    guard Self.accepts(command) else {
      return ConsoleError(.failed, "this is a command of the daemon, 'swiftlet run'; none runs here")
    }
    do throws(ConsoleError) {
      var copy = settings
      try Self.change(&copy, by: command)
      return nil
    } catch {
      return error
    }
  }

  /// Carries out a command. The caller handles `exit`.
  ///
  /// - Returns: The reply for the user: success, or the reason of a refusal.
  package func perform(_ command: Command) -> Reply {
    if let reply = player.perform(command) { return reply }
    if let error = refusal(of: command) { return .error(error) }
    switch command {
    case .volume(let change?): setVolume(change)
    case .mute: mute()
    default:
      do throws(ConsoleError) {
        try Self.change(&settings, by: command)
        player.adopt(settings)
        follow(settings.volumeCurve)
      } catch {
        return .error(error)
      }
    }
    return .ok()
  }

  /// Applies a command to settings. Throws if the value is invalid; a command about something else changes nothing.
  private static func change(_ settings: inout Settings, by command: Command) throws(ConsoleError) {
    switch command {
    case .set(let setting, let value): try settings.set(setting, to: value)
    case .cycle(let setting): try settings.set(setting, to: settings.next(setting))
    case .unset(let setting?): settings.unset(setting)
    case .clearEqualizer: settings.clearEqualizer()
    case .queue(.shuffle(let isOn)): try settings.set(.queueShuffle, to: .isOn(isOn))
    case .queue(.repeat(let mode)): try settings.set(.queueRepeat, to: .choice(mode.name))
    default: break
    }
  }

  /// Adopts a volume curve without a jump in loudness: if the new curve would be louder at this volume, the volume is
  /// lowered to the value that keeps the present gain.
  private func follow(_ curve: VolumeCurve) {
    guard player.volumeCurve != curve else { return }
    let same = curve.volume(for: player.volume.gain(player.volumeCurve))
    player.setVolume(same.percent < player.volume.percent ? same : player.volume, curve: curve)
  }

  private func mute() {
    let volume = beforeMute
    beforeMute = volume == nil ? player.volume : nil
    player.setVolume(volume ?? Volume(0))
  }

  private func setVolume(_ change: VolumeChange) {
    let percent = player.volume.percent
    let wanted =
      switch change {
      case .to(let value): Float(value)
      case .by(let value): percent + Float(value)
      case .steps(let steps): percent + Float(steps * settings.volumeStep)
      }
    beforeMute = nil
    player.setVolume(Volume(min(wanted, Float(settings.maximumVolume))))
  }
}
