// The light of a box that has died again and again: it says so until something is pressed. Control thread.

import Console
import PlaybackModel
import Player

/// Shows that a start was careful, in the place of what the light shows else, until the first press, or until music plays.
final class CarefulStartLight {
  private var isShown = true
  private let outputs: OutputController
  private var subscription: EventSubscription?

  /// Shows it from now on.
  init(_ outputs: OutputController, _ controls: ControlsController, feed: EventFeed) {
    self.outputs = outputs
    let (indicator, perform) = (outputs.indicator, controls.onCommand)
    outputs.indicator = { [unowned(unsafe) self] in isShown ? .carefulStart : indicator($0) }
    controls.onCommand = { [unowned(unsafe) self] in
      end()
      return perform($0)
    }
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .transition = stamped.event, self.outputs.player.machine.state.isActive { end() }
    }
    outputs.noteLight()
  }

  private func end() {
    guard isShown else { return }
    isShown = false
    outputs.noteLight()
  }
}
