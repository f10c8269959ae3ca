// The position for those who watch it: a timer that runs only while somebody does. Control thread.

import Console
import PlaybackModel
import Platform
import Player

/// Tells how what is heard moves on, ten times a second at most.
final class PositionTicker {
  /// Nanoseconds from a change to the notice about it.
  private static let interval: UInt64 = 100_000_000

  /// Whether somebody wants the position.
  var isWanted: () -> Bool = { false }
  /// Called with each position that is another one.
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

  /// Tells the position soon, and again as long as something plays.
  func tickSoon() {
    guard !timer.isRunning, isWanted() else { return }
    timer.start(after: Self.interval) { [unowned(unsafe) self] in tick() }
  }

  /// Tells nothing any more.
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
              Field("light", outputs.indicator(state).text),
            ]))
    }
    if state.isActive { tickSoon() }
  }
}
