// MPD's commands that control playback (play, pause, next, seek, …) and query it (status, currentsong, stats). Pure.

import Console
import Platform
import PlaybackModel

extension MPDCommand {
  static let playback: [MPDCommand] = [
    MPDCommand("play", 0...1) { (call, _) throws(MPDRefusal) in
      guard let word = call[0], word != "-1" else { return resume }
      let index = try MPDArguments.integer(word)
      return .withQueue { (facts) throws(MPDRefusal) in
        guard facts.queue.entries.indices.contains(index) else { throw .badSongIndex }
        return jump(facts.queue.entries[index].id)
      }
    },
    MPDCommand("playid", 0...1) { (call, _) throws(MPDRefusal) in
      guard let word = call[0], word != "-1" else { return resume }
      let id = try MPDArguments.integer(word)
      return .withQueue { (facts) throws(MPDRefusal) in
        _ = try facts.queue.index(of: id)
        return jump(id)
      }
    },
    MPDCommand("pause", 0...1) { (call, _) throws(MPDRefusal) in
      let wanted = try call[0].map { (word) throws(MPDRefusal) in try MPDArguments.isOn(word) }
      return .order(.status) { (status) throws(MPDRefusal) in
        let state = MPDState(status)
        switch (state, wanted) {
        case (.stop, _), (.pause, true), (.play, false): return .done
        case (.play, _): return .order(.pause)
        case (.pause, _): return .order(.play(path: nil))
        }
      }
    },
    MPDCommand("stop") { (_, _) throws(MPDRefusal) in
      .order(.status) { (status) throws(MPDRefusal) in MPDState(status) == .stop ? .done : .order(.stop)
      }
    },
    MPDCommand("next") { (_, _) throws(MPDRefusal) in
      .order(.status) { (status) throws(MPDRefusal) in try next(status) }
    },
    MPDCommand("previous") { (_, _) throws(MPDRefusal) in
      .withQueue { (facts) throws(MPDRefusal) in
        .order(.status) { (status) throws(MPDRefusal) in try previous(status, facts.queue.entries) }
      }
    },
    MPDCommand("seek", 2...2) { (call, _) throws(MPDRefusal) in
      let index = try MPDArguments.count(call.first())
      let time = try position(call.second())
      return .withQueue { (facts) throws(MPDRefusal) in
        guard index < facts.queue.entries.count else { throw .badSongIndex }
        return seek(facts.queue.entries[index].id, time)
      }
    },
    MPDCommand("seekid", 2...2) { (call, _) throws(MPDRefusal) in
      let id = try MPDArguments.count(call.first())
      let time = try position(call.second())
      return .withQueue { (facts) throws(MPDRefusal) in
        _ = try facts.queue.index(of: id)
        return seek(id, time)
      }
    },
    MPDCommand("seekcur", 1...1) { (call, _) throws(MPDRefusal) in
      let word = call.first()
      let (isForward, isBackward) = (word.utf8.first == 0x2B, word.utf8.first == 0x2D)
      let time = try position(
        isForward || isBackward ? String(decoding: word.utf8.dropFirst(), as: UTF8.self) : word)
      let target: SeekTarget =
        isForward ? .by(time) : isBackward ? .by(Seconds(-time.value)) : .to(time)
      return .order(.status) { (status) throws(MPDRefusal) in
        guard MPDState(status) != .stop else { throw MPDRefusal(.player, "Not playing") }
        return .order(.seek(target)) { (_) throws(MPDRefusal) in .told(.player) }
      }
    },
    MPDCommand("status", needs: .read) { (_, _) throws(MPDRefusal) in
      .withSettings { (_) throws(MPDRefusal) in
        .withQueue { (facts) throws(MPDRefusal) in
          .order(.status) { (status) throws(MPDRefusal) in
            .answer(MPDStatus.lines(status, facts))
          }
        }
      }
    },
    MPDCommand("currentsong", needs: .read) { (_, session) throws(MPDRefusal) in
      let tags = session.tags
      return .withSettings { (_) throws(MPDRefusal) in
        .withTags { (facts) throws(MPDRefusal) in
          .order(.status) { (status) throws(MPDRefusal) in
            .answer(MPDStatus.currentSong(status, facts, tags))
          }
        }
      }
    },
    MPDCommand("stats", needs: .read) { (_, _) throws(MPDRefusal) in
      .order(.stats) { (stats) throws(MPDRefusal) in
        let seconds = stats["uptime"].flatMap { Decimal.parse($0[...]) } ?? 0
        return libraryFacts { MPDCommand.stats(uptime: Int(seconds), $0) }
      }
    },
    MPDCommand("clearerror") { (_, _) throws(MPDRefusal) in
      .order(.status) { (status) throws(MPDRefusal) in
        status["state"] == "failed" ? .order(.reset) : .done
      }
    },
  ]

  /// Resumes, or starts the queue; does nothing if the queue is empty.
  private static var resume: MPDPlan {
    .order(.status) { (status) throws(MPDRefusal) in
      // The daemon would play all music if its queue is empty, which an MPD client does not expect.
      guard status["queue"] != "0" else { return .done }
      // In MPD a stopped song restarts from its beginning. During the fade-out, the daemon's `play` would resume it
      // instead.
      guard status["state"] == "fadingOut", let number = status.integer("queue-position"),
        let position = QueuePosition(number: number)
      else { return .order(.play(path: nil)) }
      return .order(.queue(.jump(.position(position))))
    }
  }

  /// Plays an entry in any state.
  private static func jump(_ id: Int) -> MPDPlan {
    .orders([.queue(.jump(QueuePlace(id: id))), .play(path: nil)], then: .told(.player))
  }

  /// Plays the next song. With `repeat` and `single` MPD wraps from the last song to the first; the daemon's `next`
  /// stops there.
  private static func next(_ status: BoxFields) throws(MPDRefusal) -> MPDPlan {
    guard MPDState(status) != .stop else { throw MPDRefusal(.player, "Not playing") }
    let next = MPDPlan.order(.next) { (_) throws(MPDRefusal) in .told(.player) }
    guard status["repeat"] == "one", !status.isOn("shuffle") else { return next }
    return .withQueue { (facts) throws(MPDRefusal) in
      let entries = facts.queue.entries
      guard let first = entries.first, entries.last?.id == status.integer("queue-id") else { return next }
      return jump(first.id)
    }
  }

  /// Plays the previous song, regardless of the position; clients restart a song themselves. Before the first song it
  /// wraps to the last if the queue repeats.
  private static func previous(_ status: BoxFields, _ entries: [QueueEntry]) throws(MPDRefusal) -> MPDPlan {
    guard MPDState(status) != .stop else { throw MPDRefusal(.player, "Not playing") }
    // In shuffle only the daemon knows the previous song. Seeking to 0 first prevents `previous` from restarting the
    // current one.
    guard !status.isOn("shuffle"),
      let place = entries.firstIndex(where: { $0.id == status.integer("queue-id") })
    else { return .orders([.seek(.to(.zero)), .previous], then: .told(.player)) }
    if place > 0 { return jump(entries[place - 1].id) }
    return status["repeat"] == "off"
      ? .orders([.seek(.to(.zero)), .play(path: nil)], then: .told(.player))
      : jump(entries[entries.count - 1].id)
  }

  private static func seek(_ id: Int, _ time: Seconds) -> MPDPlan {
    .order(.status) { (status) throws(MPDRefusal) in
      let isStopped = MPDState(status) == .stop
      guard status.integer("queue-id") != id || isStopped else {
        return .orders([.seek(.to(time))], then: .told(.player))
      }
      // A paused player stays paused; a stopped one plays.
      let cue = Command.queue(.cue(QueuePlace(id: id), at: time))
      return .orders(isStopped ? [cue, .play(path: nil)] : [cue], then: .told(.player))
    }
  }

  /// Parses a position, and rounds it to a millisecond.
  private static func position(_ text: String) throws(MPDRefusal) -> Seconds {
    let seconds = try MPDArguments.seconds(text)
    guard seconds >= 0 else { throw MPDRefusal(.argument, "Negative value not allowed: \(text)") }
    let rounded = Decimal.format(min(seconds, 3_000_000), decimals: 3)
    return Seconds(Decimal.parse(rounded[...]) ?? 0)
  }
}
