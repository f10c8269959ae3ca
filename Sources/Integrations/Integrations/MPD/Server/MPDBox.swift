// The MPD server's view of the daemon: caches queue, tags and settings, and queries them again after changes. Single
// thread; never blocks.

import Console
import Platform

/// Queries the daemon and caches what MPD commands need.
package final class MPDBox {
  /// Maximum number of queries for data that keeps changing while it is read.
  private static let maxLooks = 8
  /// Entries per query of the queue.
  private static let page = 200
  /// Entries per query of the index.
  private static let tagsPage = 100

  private let box: any BoxCommands
  private var facts = MPDFacts()
  /// Handlers waiting for the queue; a query is running while there is one.
  private var awaitingQueue: [(MPDRefusal?) -> Void] = []
  /// Handlers waiting for the tags of the queue's files.
  private var awaitingTags: [(MPDRefusal?) -> Void] = []
  /// Handlers waiting for the settings.
  private var awaitingSettings: [(MPDRefusal?) -> Void] = []
  /// Counts of reported changes, to detect those that occur during a query.
  private var changes = (settings: 0, queue: 0, tags: 0)

  /// Creates a view of a daemon. `box` must outlive it.
  package init(_ box: any BoxCommands) { self.box = box }

  /// The cached data.
  var known: MPDFacts { facts }

  /// Invalidates the data that an event's subject concerns.
  package func forget(_ subject: String) {
    switch subject {
    case "setting": forgetSettings()
    // A track's tags become known when it is opened.
    case "queue", "track": forgetQueue()
    // The index may have other tags now.
    case "library": forgetTags()
    default: break
    }
  }

  private func forgetSettings() {
    changes.settings += 1
    facts.areSettingsKnown = false
  }

  private func forgetQueue() {
    changes.queue += 1
    facts.queue.forget()
  }

  private func forgetTags() {
    changes.tags += 1
    facts.tags.forget()
    forgetQueue()
  }

  /// Invalidates everything, because the daemon was connected or lost.
  package func forgetAll() {
    forgetSettings()
    forgetTags()
  }

  /// Changes the options stored by the server itself.
  func keep(_ change: (inout MPDOwnOptions) -> Void) { change(&facts.own) }

  /// Increments the queue's version without a change.
  func touchQueue() { facts.queue.touch() }

  /// Calls `then` once all earlier events of the daemon have been delivered.
  func catchUp(then: @escaping () -> Void) { box.catchUp(then: then) }

  /// Sends a command to the daemon.
  func ask(_ command: Command, then: @escaping (BoxAnswer) -> Void) {
    switch command {
    // The daemon answers before the update begins, so that clients need not wait for commands that read folders.
    case .library(.update), .library(.rebuild): box.askAtOnce(command, then: then)
    default: box.ask(command, then: then)
    }
  }

  // MARK: Settings

  /// Queries the settings unless they are cached. `then` receives an error, or nil.
  func knowSettings(then: @escaping (MPDRefusal?) -> Void) {
    guard !facts.areSettingsKnown else { return then(nil) }
    awaitingSettings.append(then)
    if awaitingSettings.count == 1 { lookAtSettings(left: Self.maxLooks) }
  }

  private func lookAtSettings(left: Int) {
    let seen = changes.settings
    look(at: [.fadeLength, .gainMode, .mediaRoot, .libraryEnabled], BoxFields()) {
      [unowned(unsafe) self] refusal in
      guard refusal == nil, changes.settings != seen else { return tellSettings(refusal) }
      facts.areSettingsKnown = false
      // Settings that keep changing are returned as last read.
      if left > 1 { lookAtSettings(left: left - 1) } else { tellSettings(nil) }
    }
  }

  private func look(
    at settings: ArraySlice<Setting>, _ found: BoxFields, then: @escaping (MPDRefusal?) -> Void
  ) {
    guard let setting = settings.first else {
      facts.crossfade = MPDBox.number(found[Setting.fadeLength.key] ?? "0")
      facts.gainMode = found[Setting.gainMode.key] ?? "off"
      let hasLibrary = found[Setting.libraryEnabled.key] == "on"
      if hasLibrary != facts.hasLibrary { forgetTags() }
      facts.hasLibrary = hasLibrary
      facts.media = MediaPath(roots: MPDBox.words(found[Setting.mediaRoot.key] ?? ""))
      facts.areSettingsKnown = true
      return then(nil)
    }
    box.ask(.show(.one(setting))) { [unowned(unsafe) self] answer in
      guard case .done(_, let rows) = answer, let value = rows.first?["value"] else {
        return then(MPDBox.refusal(answer))
      }
      var found = found
      found.add(BoxField(name: setting.key, value: value))
      look(at: settings.dropFirst(), found, then: then)
    }
  }

  private func tellSettings(_ refusal: MPDRefusal?) {
    let waiting = awaitingSettings
    awaitingSettings = []
    for then in waiting { then(refusal) }
  }

  /// A value without its unit.
  private static func number(_ value: String) -> String {
    String(decoding: value.utf8.prefix { $0 != 0x20 }, as: UTF8.self)
  }

  /// Splits a list as typed, with quotes around items that contain blanks.
  static func words(_ text: String) -> [String] {
    guard let request = try? MPDRequest(Array("show ".utf8) + Array(text.utf8)) else { return [] }
    return request.arguments
  }

  private static func refusal(_ answer: BoxAnswer, _ fault: MPDFault = .system) -> MPDRefusal {
    switch answer {
    case .refused(let sentence): .box(sentence, fault, nil)
    case .outdated: .queueKeepsChanging
    case .done, .gone: .gone
    }
  }

  // MARK: Queue

  /// Queries the queue unless the cached copy is current. `then` receives an error, or nil.
  func knowQueue(then: @escaping (MPDRefusal?) -> Void) {
    awaitingQueue.append(then)
    if awaitingQueue.count == 1 { look(left: Self.maxLooks) }
  }

  /// Changes the queue as one. Computes the change again if the queue has changed meanwhile.
  ///
  /// - Parameters:
  ///   - compute: The change for a queue.
  ///   - then: Receives an error, or nil, and whether clients must be told of a change.
  func change(
    _ compute: @escaping (MPDFacts) throws(MPDRefusal) -> MPDQueueChange,
    then: @escaping (MPDRefusal?, _ isTold: Bool) -> Void
  ) {
    change(compute, left: Self.maxLooks, then: then)
  }

  private func change(
    _ compute: @escaping (MPDFacts) throws(MPDRefusal) -> MPDQueueChange, left: Int,
    then: @escaping (MPDRefusal?, Bool) -> Void
  ) {
    knowQueue { [unowned(unsafe) self] refusal in
      if let refusal { return then(refusal, false) }
      let change: MPDQueueChange
      do throws(MPDRefusal) { change = try compute(facts) } catch { return then(error, false) }
      guard !change.edits.isEmpty else { return then(nil, change.isAlwaysTold) }
      // Without a revision, the queue has changed while it was read.
      guard let revision = facts.queue.revision else { return again() }
      box.ask(.queue(.edits(change.edits, ofVersion: revision))) { answer in
        switch answer {
        case .done: then(nil, change.isAlwaysTold)
        case .outdated: again()
        case .refused, .gone: then(MPDBox.refusal(answer, .player), false)
        }
      }
      func again() {
        if left > 1 {
          self.change(compute, left: left - 1, then: then)
        } else {
          then(.queueKeepsChanging, false)
        }
      }
    }
  }

  private func look(left: Int) {
    let seen = changes.queue
    box.ask(.status) { [unowned(unsafe) self] answer in
      guard case .done(let status, _) = answer, let revision = status.integer("queue-version") else {
        return tell(MPDBox.refusal(answer))
      }
      facts.current = status.isOn("ended") ? nil : status.integer("queue-id")
      // A queue that keeps changing is returned as last read.
      guard facts.queue.revision != revision, left > 0 else { return tell(nil) }
      read(from: .first, []) { [unowned(unsafe) self] entries, refusal in
        guard refusal == nil else { return tell(refusal) }
        facts.tags.keep(entries)
        // A track opened during the query changes no revision, but these entries may lack its tags.
        facts.queue.adopt(facts.tags.filled(entries), revision: changes.queue == seen ? revision : nil)
        look(left: left - 1)
      }
    }
  }

  private func read(
    from position: QueuePosition, _ entries: [QueueEntry], then: @escaping ([QueueEntry], MPDRefusal?) -> Void
  ) {
    box.ask(.queue(.list(from: position, count: Self.page))) { [unowned(unsafe) self] answer in
      guard case .done(_, let rows) = answer else { return then([], MPDBox.refusal(answer)) }
      let found = rows.compactMap { QueueEntry($0) }
      // An answer may have fewer rows than requested, because its length is limited.
      guard !found.isEmpty, let next = QueuePosition(number: position.number + found.count) else {
        return then(entries + found, nil)
      }
      read(from: next, entries + found, then: then)
    }
  }

  private func tell(_ refusal: MPDRefusal?) {
    let waiting = awaitingQueue
    awaitingQueue = []
    for then in waiting { then(refusal) }
  }

  // MARK: Tags from the index

  /// Queries the queue, and the index for files not yet cached. Only for commands that show tags; others need not
  /// wait for it.
  func knowTags(then: @escaping (MPDRefusal?) -> Void) {
    knowQueue { [unowned(unsafe) self] refusal in
      guard refusal == nil else { return then(refusal) }
      awaitingTags.append(then)
      if awaitingTags.count == 1 { learn() }
    }
  }

  private func learn() {
    let entries = facts.queue.entries
    guard facts.hasLibrary, let first = facts.tags.firstUnknown(of: entries),
      let position = QueuePosition(number: first + 1)
    else {
      facts.queue.fill(from: facts.tags)
      let waiting = awaitingTags
      awaitingTags = []
      for then in waiting { then(nil) }
      return
    }
    let seen = changes.tags
    box.ask(.library(.queue(from: position, count: Self.tagsPage))) { [unowned(unsafe) self] answer in
      if changes.tags != seen {
        // The index changed during the query; the answer is discarded.
      } else if case .done(_, let rows) = answer {
        facts.tags.learn(rows, askedFor: entries[first].path)
      } else {
        facts.tags.giveUp()
      }
      learn()
    }
  }
}
