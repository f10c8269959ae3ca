// Simulation subject made of player, mixer and audio loop, without the rest of a box. All uses of the `Player`
// interface by the simulator are here. One thread.

import Flight
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// Boots one bare player after another on the same card, and keeps the state that a checkpoint would keep.
final class BarePlayers: SubjectMaker {
  let world: World
  let scheduler: SimulatedScheduler
  let card: SimulatedCard
  let decoders: SimulatedDecoders
  fileprivate var saved: Saved?
  /// Records which tracks were left, across all boots.
  fileprivate let ear = LeavingEar()
  /// Flight recorder that receives all events, if a recording was requested.
  var flight: FlightRecorder?

  /// Saved state of the last player.
  fileprivate struct Saved {
    var state: PlayerState
    var moment: Moment
    var queue: PlayQueue
    var settings: PlayerSettings
    var volume: Volume
    var isMono: Bool
  }

  init(_ world: World, scheduler: SimulatedScheduler, card: SimulatedCard, decoders: SimulatedDecoders) {
    self.world = world
    self.scheduler = scheduler
    self.card = card
    self.decoders = decoders
  }

  func boot() -> any Subject {
    let player = BarePlayer(self)
    player.restore()
    return player
  }
}

final class BarePlayer: Subject {
  private let maker: BarePlayers
  private let player: Player
  private let link: AudioLink
  private let loop: AudioLoop
  private let reports: Int32
  private let watch: ScheduleToken
  private var isMono = false

  init(_ maker: BarePlayers) {
    self.maker = maker
    let scheduler = maker.scheduler
    let card = maker.card
    let reports = scheduler.makeDescriptor()
    self.reports = reports
    link = AudioLink(wakeAudio: { card.wake() }, notifyControl: { scheduler.signal(reports) })
    loop = AudioLoop(device: card, link: link)
    let player = Player(
      scheduler: scheduler, link: link, decoders: maker.decoders, rate: card.rate, isOffline: false,
      isStrict: false)
    self.player = player
    player.observer = maker.ear
    maker.flight?.noteOutput(rate: card.rate, isDeep: !link.isShallow, isThere: true)
    player.flight = maker.flight
    guard
      let watch = try? scheduler.add(
        readable: reports,
        {
          scheduler.clear(reports)
          player.takeReports()
        })
    else { preconditionFailure("the simulated scheduler takes every descriptor") }
    self.watch = watch
  }

  /// Restores the saved state, if there is any.
  func restore() {
    guard let saved = maker.saved else { return }
    player.adopt(saved.settings)
    player.setVolume(saved.volume)
    setMono(saved.isMono)
    player.queue = saved.queue
    player.restore(saved.state, saved: saved.moment)
    player.handle(.outputRestored)
  }

  func die(_ death: Death) {
    maker.saved = BarePlayers.Saved(
      state: player.machine.state, moment: player.moment(), queue: player.queue,
      settings: player.machine.settings, volume: player.volume, isMono: isMono)
    maker.card.stop()
    player.end()
    maker.scheduler.remove(watch)
    _ = maker.scheduler.close(reports)
  }

  func turnAudio() -> UInt64? { loop.turn().map { UInt64(max(0, $0)) } }

  private func setMono(_ on: Bool) {
    isMono = on
    player.setMono(on)
  }

  private func adopt(_ change: (inout PlayerSettings) -> Void) {
    var settings = player.machine.settings
    change(&settings)
    player.adopt(settings)
  }

  func claims() -> Claims? {
    var claims = Claims(of: player, rate: maker.card.rate)
    claims.beside.left = maker.ear.left
    return claims
  }

  // MARK: Actions

  func catchUp() { player.takeReports() }

  func perform(_ action: Action) {
    switch action {
    case .play:
      player.play()
    case .pause: player.handle(.pause)
    case .toggle: player.toggle()
    case .stop: player.handle(.stop)
    case .next: player.next()
    case .previous: player.previous()
    case .finishFade: player.handle(.finishFade)
    case .retry: player.handle(.retry)
    case .reset: player.handle(.reset)
    case .seek(let position):
      player.handle(.seek(player.machine.settings.rate.frames(Seconds(Double(position) / 1000))))
    case .seekShare(let percent): _ = player.seek(toPart: Double(percent) / 100)
    case .seekBy(let distance):
      player.seek(by: player.machine.settings.rate.frames(Seconds(Double(distance) / 1000)))
    case .volume(let percent): player.setVolume(Volume(Float(percent)))
    case .mono(let on): setMono(on)
    case .curve(let curve): adopt { $0.curve = curve }
    case .crossfade(let length):
      let fade = Seconds(Double(length) / 1000)
      adopt {
        ($0.automaticFadeLength, $0.manualFadeLength, $0.fadesManually) = (fade, fade, fade > .zero)
      }
    case .threshold(let percent): adopt { $0.quickFinishThreshold = percent }
    case .add, .insertNext, .insertBefore, .remove, .move, .clear, .removeUpcoming, .shuffle, .repeatMode,
      .stopPoint:
      edit(action)
    case .replace(let number):
      player.queue.clear()
      _ = try? player.queue.add(track(number))
      player.play()
    case .interrupt: player.handle(.interruptionBegan)
    case .release(let resumes): player.handle(.interruptionEnded(shouldResume: resumes))
    case .standby: player.handle(.standby)
    case .wake: player.handle(.wake)
    case .sleepTimer: player.handle(.sleepTimerFired)
    case .powerFailing: player.handle(.powerFailing)
    case .stickOut: player.handle(.storageRemoved(path: SimulatedDecoders.stickFolder))
    // Actions handled by the simulation itself, or supported only by a whole box.
    default: break
    }
  }

  private func track(_ number: Int) -> Track {
    let plan = maker.world.tracks[number % maker.world.tracks.count]
    return Track(
      id: 0, path: SimulatedDecoders.path(number % maker.world.tracks.count, plan))
  }

  /// The entry at an offset after the current one, modulo the queue's length; nil if the queue is empty.
  private func entry(_ distance: Int) -> (id: UInt64, place: Int)? {
    let tracks = player.queue.tracks
    guard !tracks.isEmpty else { return nil }
    let place = ((player.queue.currentIndex ?? 0) + distance) % tracks.count
    return (tracks[place].id, place)
  }

  private func edit(_ action: Action) {
    switch action {
    case .add(let number): _ = try? player.queue.add(track(number))
    case .insertNext(let number): _ = try? player.queue.insertNext(track(number))
    case .insertBefore(let number):
      _ = try? player.queue.insert(track(number), at: player.queue.currentIndex ?? 0)
    case .remove(let distance): if let entry = entry(distance) { _ = try? player.queue.remove(entry.id) }
    case .move(let distance, let other):
      if let entry = entry(distance), let target = self.entry(other) {
        _ = try? player.queue.move(entry.id, to: target.place)
      }
    case .clear: player.queue.clear()
    case .removeUpcoming: player.queue.removeUpcoming()
    case .shuffle(let on): player.queue.shuffle(on)
    case .repeatMode(let mode): player.queue.repeatMode = mode
    case .stopPoint(let point): player.queue.stopPoint = point
    default: break
    }
  }
}

/// Records the last 16 tracks that the player left, for the oracle's bookmark checks.
private final class LeavingEar: PlayerObserver {
  private(set) var left: [LeftTrack] = []
  private var count = 0

  func playerDidChange(_ player: Player) {}
  func player(_ player: Player, reports error: PlaybackError) {}
  func player(_ player: Player, notes note: PlayerNote) {}

  func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool) {
    guard let number = SimulatedDecoders.number(track.path) else { return }
    count += 1
    if left.count == 16 { left.removeFirst() }
    left.append(LeftTrack(number: count, track: number, position: Int(position.count), isOver: isOver))
  }
}
