// Sends the playback position to sessions that watch it; its timer runs only while one does. Control thread.

import Console
import PlaybackModel
import Platform
import Player

/// Posts changes of the playback position, at most ten times per second.
final class PositionTicker {
  /// Nanoseconds between notices.
  private static let interval: UInt64 = 100_000_000

  /// Whether any session watches the position.
  var isWanted: () -> Bool = { false }
  /// Called with each changed position.
  var onTick: (Notice) -> Void = { _ in }
  private var last = ""
  private let outputs: OutputController
  private let volume: VolumeController
  private let timer: DeadlineTimer

  init(_ outputs: OutputController, _ volume: VolumeController, scheduler: any Scheduler) {
    self.outputs = outputs
    self.volume = volume
    timer = DeadlineTimer(scheduler)
  }

  /// Schedules a notice, and further ones while music plays.
  func tickSoon() {
    guard !timer.isRunning, isWanted() else { return }
    timer.start(after: Self.interval) { [unowned(unsafe) self] in tick() }
  }

  /// Stops the timer.
  func stop() { timer.stop() }

  private func tick() {
    guard isWanted() else { return }
    let player = outputs.player
    player.refresh()
    let state = player.machine.state
    let position = player.machine.settings.rate.seconds(player.position).value
    let percent = volume.percent
    let line =
      state.statusText + " " + Decimal.format(position, decimals: 1) + " s, volume " + String(percent) + " %"
    if line != last {
      last = line
      onTick(
        Notice(
          EventSubject.position.name, EventSubject.position.name + ": " + line,
          [Field("state", state.kind.name), Field("text", state.statusText)]
            + (state.heardTrack.map { [Field("title", $0.displayName)] } ?? []) + [
              Field("position", .decimal(position, decimals: 1)), Field("volume", percent),
              Field("light", outputs.indicator(of: state).text),
            ]))
    }
    if state.isActive { tickSoon() }
  }
}
