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

  /// Creates a pattern.
  ///
  /// - Parameters:
  ///   - light: The pattern.
  ///   - outputs: The player's state.
  ///   - feed: Events that end the pattern.
  init(_ light: Indicator, _ outputs: OutputController, feed: EventFeed) {
    self.light = light
    self.outputs = outputs
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .transition = stamped.event, self.outputs.player.machine.state.isActive { end() }
    }
  }

  /// The pattern in a player state; nil: the usual one. A playback failure takes precedence over skipped lines.
  func indicator(in state: PlayerState) -> Indicator? {
    isShown && (light == .carefulStart || state.kind != .failed) ? light : nil
  }

  /// Shows the usual patterns from then on.
  func end() {
    guard isShown else { return }
    isShown = false
    outputs.noteLight()
  }
}
