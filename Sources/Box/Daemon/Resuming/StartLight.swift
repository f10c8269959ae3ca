// Light pattern that reports a problem of the start, until the first button press. Control thread.

import Console
import PlaybackModel
import Player

/// Replaces the player's light pattern after a cautious start or skipped configuration lines, until a button is pressed
/// or music plays.
final class StartLight {
  private let light: Indicator
  private var isShown = true
  private let outputs: OutputController
  private var subscription: EventSubscription?

  /// Starts to show the pattern. A playback failure takes precedence over skipped lines.
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
