// What each command does. Control thread; what names files is in Box+Finding, because storage may be slow.

import Console
import Decoding
import Media
import PlaybackModel
import Platform
import Player

extension Box: CommandTarget {
  func perform(_ command: Command) -> Reply {
    if let refusal = isOverloaded { return refusal }
    switch command {
    case .play(nil): return play()
    case .play(.some), .media(.some): return performLater(command)
    case .pause: return give(.pause)
    case .toggle: return player.machine.state.currentTrack == nil ? play() : give(.toggle)
    case .stop: return give(.stop)
    case .next: return move { self.player.next() }
    case .previous: return move { self.player.previous() }
    case .seek(let target): return seek(target)
    case .finishFade: return give(.finishFade)
    case .retry: return give(.retry)
    case .reset: return give(.reset)
    case .volume(let change): return volume(change)
    case .sleep(let timer): return sleep(timer)
    case .test(let subject): return test(subject)
    case .bookmarks: return listBookmarks()
    case .clearBookmarks: return clearBookmarks()
    case .queue(let command): return queue(command)
    case .media(nil):
      return .ok(Answer(rows: settings.mediaRoots.map { Row($0, [Field("path", $0)]) }))
    case .set(let setting, let value):
      return change(setting) { (settings) throws(ConsoleError) in
        try settings.set(setting, to: value)
      }
    case .cycle(let setting):
      return change(setting) { (settings) throws(ConsoleError) in
        try settings.set(setting, to: settings.next(setting))
      }
    case .unset(let setting?):
      return change(setting) { (settings) throws(ConsoleError) in
        settings.unset(setting)
      }
    case .unset(nil):
      settings = Settings()
      applySettings()
      return .ok("all settings have their defaults again")
    case .show(let selection): return .ok(Answer(rows: Settings.settings(selection).map(row)))
    case .diff:
      let changed = settings.changed
      return .ok(Answer(changed.isEmpty ? "all settings have their defaults" : "", rows: changed.map(row)))
    case .save: return save()
    case .status: return .ok(Answer(fields: status))
    case .history(let count): return history(count)
    case .log(let count):
      return .ok(Answer(rows: log.last(count).map { Row(log.text(of: $0)) }))
    case .stats: return .ok(Answer(fields: stats, rows: latencyRows))
    case .standby: return give(.standby)
    case .wake: return give(.wake)
    case .interruptionBegin: return give(.interruptionBegan)
    case .interruptionEnd(let shouldResume): return give(.interruptionEnded(shouldResume: shouldResume))
    case .powerFailing: return powerFailing()
    case .shutdown:
      shutdown()
      return .ok("ending")
    case .controls(let command): return self.control(command)
    case .board:
      return .failed("a board is named in the configuration file or by 'swiftlet run --board NAME'")
    case .watch, .format, .pin, .help, .exit, .report:
      return .failed("this belongs to a session on the console")
    }
  }

  /// The refusal of commands while too many wait for the audio thread, or the box ends; nil otherwise.
  var isOverloaded: Reply? {
    guard !isEnding else { return .failed("the box is ending") }
    guard player.isOverloaded else { return nil }
    return .failed("the audio thread is held up by the sound card and has many commands waiting; try again")
  }

  private func row(_ setting: Setting) -> Row {
    let note = setting.declaration.application == .atNextStart ? " (from the next start on)" : ""
    return Row(
      settings.line(setting) + (settings.differences(from: savedSettings).contains(setting) ? note : ""),
      [Field("key", setting.key), Field("value", settings.shown(setting))])
  }

  /// Gives an event to the player and says what it is doing now.
  private func give(_ event: PlayerEvent) -> Reply { reply(to: player.handle(event)) }

  private func reply(to verdict: Verdict) -> Reply {
    switch verdict {
    case .rejected(let reason): .failed(reason.sentence)
    case .changed, .unchanged: .ok(player.machine.state.statusText)
    }
  }

  private func move(_ action: () -> Void) -> Reply {
    guard !player.queue.isEmpty else { return .failed("the queue is empty; 'play PATH' fills it") }
    action()
    return .ok(player.machine.state.statusText)
  }

  private func play() -> Reply {
    switch player.machine.state {
    case .idle, .finished:
      guard !player.queue.isEmpty else { return .failed("the queue is empty; 'play PATH' fills it") }
    default: break
    }
    return reply(to: player.play())
  }

  private func seek(_ target: SeekTarget) -> Reply {
    let rate = player.machine.settings.rate
    switch target {
    case .to(let position): return give(.seek(rate.frames(position)))
    case .by(let distance): return reply(to: player.seek(by: rate.frames(distance)))
    case .fraction(let part):
      guard let length = player.machine.state.heardTrack?.length else {
        return .failed("the track's length is not known; give a position in seconds")
      }
      return give(.seek(Frames(Int64(Double(length.count) * part))))
    }
  }

  // MARK: Queue

  private func queue(_ command: QueueCommand) -> Reply {
    switch command {
    case .list(let from): list(from: from?.index ?? 0)
    case .add, .insert: performLater(.queue(command))
    default: changeQueue { () throws(ConsoleError) in try change(command) }
    }
  }

  /// Does something to the queue, and whatever follows from that.
  func changeQueue(_ change: () throws(ConsoleError) -> Reply) -> Reply {
    do throws(ConsoleError) {
      let reply = try change()
      checkpoints?.noteQueue()
      watchSoon()
      return reply
    } catch {
      return .error(error)
    }
  }

  private func change(_ command: QueueCommand) throws(ConsoleError) -> Reply {
    switch command {
    case .list, .add, .insert: return queue(command)
    case .remove(let position):
      let track = player.queue.tracks[try index(position)]
      try attempt { (queue) throws(QueueError) in try queue.remove(track.id) }
      return .ok("removed \(track.displayName)")
    case .move(let from, let to):
      let track = player.queue.tracks[try index(from)]
      let index = try index(to)
      try attempt { (queue) throws(QueueError) in try queue.move(track.id, to: index) }
      return .ok("moved \(track.displayName)")
    case .clear:
      player.queue.clear()
      return .ok("the queue is empty")
    case .clearUpcoming:
      player.queue.removeUpcoming()
      return .ok("\(player.queue.count) left")
    case .shuffle(let isOn):
      player.queue.shuffle(isOn)
      try set("queue.shuffle", isOn ? "on" : "off")
      return .ok(isOn ? "shuffled" : "in order")
    case .repeat(let mode):
      player.queue.repeatMode = mode
      try set("queue.repeat", mode.name)
      return .ok("repeats \(mode.name)")
    case .jump(let position):
      let track = player.queue.tracks[try index(position)]
      try attempt { (queue) throws(QueueError) in _ = try queue.select(track.id) }
      return give(.skip(to: track))
    }
  }

  /// Shuffle and repeat are settings, too, so that `save` keeps them.
  private func set(_ key: String, _ value: String) throws(ConsoleError) { try settings.set(key, value) }

  private func attempt(_ change: (inout PlayQueue) throws(QueueError) -> Void) throws(ConsoleError) {
    do throws(QueueError) {
      try change(&player.queue)
    } catch {
      throw ConsoleError(.failed, error.sentence)
    }
  }

  func index(_ position: QueuePosition, orEnd: Bool = false) throws(ConsoleError) -> Int {
    let count = player.queue.count
    guard position.index < count || (orEnd && position.index == count) else {
      throw ConsoleError(
        .failed, QueueError.noSuchPosition(position.number, count: count).sentence)
    }
    return position.index
  }

  private func list(from start: Int) -> Reply {
    let tracks = player.queue.tracks
    let current = player.queue.current?.id
    var rows: [Row] = []
    for index in min(start, tracks.count)..<min(start + 50, tracks.count) {
      let track = tracks[index]
      let mark = track.id == current ? "> " : "  "
      rows.append(
        Row(
          mark + String(index + 1) + " " + track.displayName,
          [
            Field("position", index + 1), Field("title", track.displayName), Field("path", track.path),
            Field("current", track.id == current),
          ]))
    }
    let rest = tracks.count - start - rows.count
    let more = rest > 0 ? "; 'queue list \(start + rows.count + 1)' goes on" : ""
    return .ok(Answer("\(tracks.count) tracks" + more, rows: rows))
  }

  func paths(beginning text: String) -> [String] {
    let bytes = Array(text.utf8)
    let slash = bytes.lastIndex(of: 0x2F)
    let folder = slash.map { String(decoding: bytes[...$0], as: UTF8.self) } ?? ""
    let places =
      bytes.first == 0x2F
      ? [folder] : settings.mediaRoots.map { folder.utf8.isEmpty ? $0 : $0 + "/" + folder }
    var found: [String] = []
    for place in places where machine.media.locate(place, within: roots) != nil {
      guard let entries = try? machine.media.entries(of: place) else { continue }
      for entry in entries where entry.isDirectory || MediaList.isPlayable(entry.name) {
        let path = folder + entry.name + (entry.isDirectory ? "/" : "")
        if path.utf8.starts(with: bytes), found.count < Completion.mostCandidates { found.append(path) }
      }
    }
    return found.sorted { NaturalOrder.isBefore($0, $1) }
  }
}
