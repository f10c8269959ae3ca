// What the player tells, for the box. Control thread only.

import PlaybackModel
import Player

/// Passes everything on. The player keeps its observer, and the box its player: so this does not keep the box.
final class BoxObserver: PlayerObserver {
  private unowned(unsafe) let box: Box

  init(_ box: Box) { self.box = box }

  func playerDidChange(_ player: Player) { box.playerDidChange(player) }
  func player(_ player: Player, reports error: PlaybackError) { box.player(player, reports: error) }
  func player(_ player: Player, notes text: String) { box.player(player, notes: text) }
  func playerWantsCheckpoint(_ player: Player) { box.playerWantsCheckpoint(player) }
  func player(_ player: Player, wantsCueFor error: PlaybackError) { box.player(player, wantsCueFor: error) }
  func player(_ player: Player, began track: Track) { box.player(player, began: track) }

  func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool) {
    box.player(player, left: track, at: position, isOver: isOver)
  }
}
