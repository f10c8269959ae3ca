// The light after a start that wants a person's attention, until something is pressed. Control thread.

import Console
import PlaybackModel
import Player

/// Shows that a start was careful, or that lines of the configuration are skipped, in the place of the light of the player's state, until
/// the first press, or until music plays.
final class StartLight {
  private let light: Indicator
  private var isShown = true
  private let outputs: OutputController
  private var subscription: EventSubscription?

  /// Shows a light from now on. Failures of playback take precedence over skipped lines.
  init(_ light: Indicator, _ outputs: OutputController, _ controls: ControlsController, feed: EventFeed) {
    self.light = light
    self.outputs = outputs
    let (indicator, perform) = (outputs.indicator, controls.onCommand)
    outputs.indicator = { [unowned(unsafe) self] in shows(in: $0) ? light : indicator($0) }
    controls.onCommand = { [unowned(unsafe) self] in
      end()
      return perform($0)
    }
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .transition = stamped.event, self.outputs.player.machine.state.isActive { end() }
    }
    outputs.noteLight()
  }

  private func shows(in state: PlayerState) -> Bool {
    isShown && (light == .carefulStart || state.kind != .failed)
  }

  private func end() {
    guard isShown else { return }
    isShown = false
    outputs.noteLight()
  }
}
