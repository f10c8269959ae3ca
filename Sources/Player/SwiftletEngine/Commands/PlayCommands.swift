// The console's commands on a player that has no daemon around it: what an engine, and the keys and scripts of `swiftlet
// play`, can be asked for. Control thread.

import Console
import PlaybackModel
import Player

/// Carries out commands on a player.
package final class PlayCommands {
  private var settings: Settings
  private let player: Player
  /// The volume before `mute`; nil: it is not muted.
  private var beforeMute: Volume?

  /// Begins with these settings.
  package init(_ player: Player, _ settings: Settings) {
    self.player = player
    self.settings = settings
    player.adopt(settings)
    player.setVolume(player.volume, curve: settings.volumeCurve)
  }

  /// Whether a command has a meaning without a daemon: it changes what is heard, or ends it.
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

  /// Why a command is refused at present; nil: it is accepted. Nothing is performed.
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

  /// Carries out a command; `exit` is the caller's.
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

  /// Makes settings as a command wants them; leaves them as they are for a command about something else.
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

  /// Another curve: where the volume would be louder on it, it becomes the one of the present loudness.
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
