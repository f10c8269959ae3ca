// What the box tells its flight recorder, and where that is kept. Control thread; never waits.

import Console
import Controls
import Flight
import PlaybackModel
import Platform
import Player

extension Box {
  /// How often the rings are looked at while nothing else happens. Only while it plays: a paused box is not woken.
  private static var ringsInterval: UInt64 { 10_000_000_000 }

  /// A recorder where the settings want it; in the process's own memory where that cannot be had.
  static func makeRecorder(_ settings: Settings, _ machine: any Machine, _ log: Log) -> FlightRecorder {
    if let path = settings.reportPath, let store = machine.flights {
      do throws(SystemError) {
        let memory = try store.open(path, size: FlightRecorder.usualSize)
        // Short names go on to mean the same after a crash.
        let salt = store.last(path).flatMap { FlightHeader($0) }?.salt ?? machine.randomSeed
        return FlightRecorder(memory, machine.scheduler, salt: salt)
      } catch {
        log.write(
          .info,
          "What happened before a crash will not be known: \(error.description); report.path names a file in memory."
        )
      }
    }
    return FlightRecorder(HeapFlightMemory(), machine.scheduler, salt: machine.randomSeed)
  }

  /// Begins to record what a new playback does.
  func record(_ playback: Playback) {
    let rate = playback.player.machine.settings.rate
    flight.noteOutput(rate: rate, isDeep: !playback.audio.link.isShallow, isThere: playback.missing == nil)
    playback.player.flight = flight
  }

  /// Looks at the rings from time to time, as long as something plays.
  func recordRings() {
    guard player.machine.state.isActive else { return flightTimer.stop() }
    guard !flightTimer.isRunning else { return }
    flightTimer.start(after: Self.ringsInterval) { [unowned(unsafe) self] in
      player.recordRingsIfOld()
      recordRings()
    }
  }

  /// Carries out a command of a session, with what is to be known of it later.
  func perform(_ command: Command, from source: CommandSource, then answer: @escaping (Reply) -> Void) {
    record(command, from: source)
    let begun = scheduler.now
    perform(command) { [unowned(unsafe) self] reply in
      flight.noteAnswer(isOK: reply.isOK, took: scheduler.now - begun)
      answer(reply)
    }
  }

  func record(_ command: Command, from source: CommandSource) {
    let flight = flight
    flight.noteCommand(command.anonymousLine { flight.name($0).text }, from: source)
  }

  func record(_ gesture: Recognized, _ binding: Binding) {
    flight.noteGesture(gesture.trigger.gesture.name, count: gesture.count)
    record(binding.command, from: .button)
  }

  func report(withPaths: Bool) -> ReportPages {
    ReportPages(reportSections(withPaths), flights(), showsNames: withPaths)
  }

  private func flights() -> [ReportPages.Flight] {
    var flights = [ReportPages.Flight(title: "flight", bytes: flight.bytes)]
    if let path = settings.reportPath, let last = machine.flights?.last(path) {
      flights.append(ReportPages.Flight(title: "last flight", bytes: last))
    }
    return flights
  }

  // MARK: What stands before the records

  /// The facts of `status` that name nothing of anybody's.
  private static var publicFields: [String] {
    [
      "state", "position", "length", "fade", "volume", "queue", "queue-position", "repeat", "shuffle",
      "sleep-seconds",
      "light", "safe-start", "loading", "buffered", "last-error-seconds-ago", "actions", "outgoing-position",
      "resumes", "can-quick-finish", "output-retry-seconds", "track-retry-seconds",
      "checkpoint-retry-seconds",
    ]
  }

  private func reportSections(_ withPaths: Bool) -> [String] {
    var lines = ["swiftlet report 1", "version: " + options.version]
    lines.append("names: " + (withPaths ? "shown" : "hidden"))
    lines.append("now: " + FlightText.seconds(Int64(clamping: scheduler.now - flight.started)))
    lines.append("[status]")
    for field in status {
      let isShown = withPaths || Self.publicFields.contains(field.name)
      lines.append(field.name + ": " + (isShown ? field.value.shown : "(hidden)"))
    }
    lines.append("[stats]")
    lines += stats.map { $0.name + ": " + $0.value.shown } + latencyRows.map { $0.text }
    lines.append("[settings]")
    for setting in settings.changed {
      lines.append(
        settings.anonymousLine(setting) { withPaths ? CommandLineText.quoted($0) : flight.name($0).text })
    }
    lines.append("[log]")
    for line in log.last(100) {
      let isShown = line.isPublic || withPaths && !holdsSecret(line.text)
      lines.append(log.text(of: line, isHidden: !isShown))
    }
    return lines
  }

  /// A PIN that somebody typed in the wrong place is nobody's business either.
  private func holdsSecret(_ text: String) -> Bool {
    guard let pin = settings.consolePIN else { return false }
    let (all, secret) = (Array(text.utf8), Array(pin.utf8))
    guard !secret.isEmpty, all.count >= secret.count else { return false }
    return (0...(all.count - secret.count)).contains { all[$0..<($0 + secret.count)].elementsEqual(secret) }
  }
}
