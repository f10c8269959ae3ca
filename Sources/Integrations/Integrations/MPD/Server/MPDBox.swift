// The box as MPD's clients see it: its queue and settings, looked at again when they have changed. One thread; never waits.

import Platform

/// Carries out plans with a box.
package final class MPDBox {
  /// How often something is looked at again that changes while it is looked at.
  private static let maxLooks = 8
  /// Entries that are asked for at once.
  private static let page = 200
  /// Entries that the index is asked about at once.
  private static let tagsPage = 100

  private let box: any BoxCommands
  private var facts = MPDFacts()
  /// Who waits until the queue is known; while anyone does, it is being looked at.
  private var awaitingQueue: [(MPDRefusal?) -> Void] = []
  /// The same until it is known what the index knows of it.
  private var awaitingTags: [(MPDRefusal?) -> Void] = []
  /// The same for the settings.
  private var awaitingSettings: [(MPDRefusal?) -> Void] = []
  /// How often each was said to have changed: what changes while it is looked at, is not known then.
  private var changes = (settings: 0, queue: 0, tags: 0)

  /// A box that is asked through `box`, which outlives this.
  package init(_ box: any BoxCommands) { self.box = box }

  /// What holds now, as far as is known.
  var known: MPDFacts { facts }

  /// Something has changed: what is known of it is looked at again when it is wanted.
  package func forget(_ subject: String) {
    switch subject {
    case "setting": forgetSettings()
    // A track's tags become known when it is opened.
    case "queue", "track": forgetQueue()
    // Tags may be others than they were.
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

  /// The box is gone, or another one.
  package func forgetAll() {
    forgetSettings()
    forgetTags()
  }

  /// Changes what the server itself remembers.
  func keep(_ change: (inout MPDOwnOptions) -> Void) { change(&facts.own) }

  /// The queue counts as changed for clients, though it is as it was.
  func touchQueue() { facts.queue.touch() }

  /// Calls `then` when everything is told that has happened to the box so far.
  func catchUp(then: @escaping () -> Void) { box.catchUp(then: then) }

  /// Asks the box.
  func ask(_ words: [String], mayWait: Bool, then: @escaping (BoxAnswer) -> Void) {
    box.ask(words, mayWait: mayWait, then: then)
  }

  // MARK: Settings

  /// Looks at the settings, unless they are known. `then` gets why that cannot be, if it cannot.
  func knowSettings(then: @escaping (MPDRefusal?) -> Void) {
    guard !facts.areSettingsKnown else { return then(nil) }
    awaitingSettings.append(then)
    if awaitingSettings.count == 1 { lookAtSettings(left: Self.maxLooks) }
  }

  private func lookAtSettings(left: Int) {
    let seen = changes.settings
    look(at: ["fade.length", "gain.mode", "media.root", "library.enabled"], BoxFields()) {
      [unowned(unsafe) self] refusal in
      guard refusal == nil, changes.settings != seen else { return tellSettings(refusal) }
      facts.areSettingsKnown = false
      // Those that change all the time are told as they were a moment ago.
      if left > 1 { lookAtSettings(left: left - 1) } else { tellSettings(nil) }
    }
  }

  private func look(at keys: ArraySlice<String>, _ found: BoxFields, then: @escaping (MPDRefusal?) -> Void) {
    guard let key = keys.first else {
      facts.crossfade = MPDBox.number(found["fade.length"] ?? "0")
      facts.gainMode = found["gain.mode"] ?? "off"
      let hasLibrary = found["library.enabled"] == "on"
      if hasLibrary != facts.hasLibrary { forgetTags() }
      facts.hasLibrary = hasLibrary
      facts.media = MediaPath(roots: MPDBox.words(found["media.root"] ?? ""))
      facts.areSettingsKnown = true
      return then(nil)
    }
    box.ask(["show", key], mayWait: false) { [unowned(unsafe) self] answer in
      guard case .done(_, let rows) = answer, let value = rows.first?["value"] else {
        return then(MPDBox.refusal(answer))
      }
      var found = found
      found.add(BoxField(name: key, value: value))
      look(at: keys.dropFirst(), found, then: then)
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

  /// Words as they are typed: quoted where they hold blanks.
  static func words(_ text: String) -> [String] {
    guard let request = try? MPDRequest(Array("show ".utf8) + Array(text.utf8)) else { return [] }
    return request.arguments
  }

  private static func refusal(_ answer: BoxAnswer) -> MPDRefusal {
    if case .refused(let sentence) = answer { return .box(sentence, .system, nil) }
    return MPDRefusal.gone
  }

  // MARK: The queue

  /// Looks at the queue, unless it is known as it is now.
  func knowQueue(then: @escaping (MPDRefusal?) -> Void) {
    awaitingQueue.append(then)
    if awaitingQueue.count == 1 { look(left: Self.maxLooks) }
  }

  private func look(left: Int) {
    let seen = changes.queue
    box.ask(["status"], mayWait: false) { [unowned(unsafe) self] answer in
      guard case .done(let status, _) = answer, let revision = status.integer("queue-version") else {
        return tell(MPDBox.refusal(answer))
      }
      // A queue that changes all the time is told as it was a moment ago.
      guard facts.queue.revision != revision, left > 0 else { return tell(nil) }
      read(from: 1, []) { [unowned(unsafe) self] entries, refusal in
        guard refusal == nil else { return tell(refusal) }
        facts.tags.keep(entries)
        // What was opened meanwhile changes no revision, and has tags that these entries may be without.
        facts.queue.adopt(facts.tags.filled(entries), revision: changes.queue == seen ? revision : nil)
        look(left: left - 1)
      }
    }
  }

  private func read(
    from position: Int, _ entries: [QueueEntry], then: @escaping ([QueueEntry], MPDRefusal?) -> Void
  ) {
    box.ask(["queue", "list", String(position), String(Self.page)], mayWait: false) {
      [unowned(unsafe) self] answer in
      guard case .done(_, let rows) = answer else { return then([], MPDBox.refusal(answer)) }
      let found = rows.compactMap { QueueEntry($0) }
      // An answer may hold fewer than were asked for: its length is bounded.
      guard found.isEmpty else { return read(from: position + found.count, entries + found, then: then) }
      then(entries, nil)
    }
  }

  private func tell(_ refusal: MPDRefusal?) {
    let waiting = awaitingQueue
    awaitingQueue = []
    for then in waiting { then(refusal) }
  }

  // MARK: What the index knows of it

  /// Looks at the queue, and asks the index about files that it was not asked about yet. Who only plays does not wait for that.
  func knowTags(then: @escaping (MPDRefusal?) -> Void) {
    knowQueue { [unowned(unsafe) self] refusal in
      guard refusal == nil else { return then(refusal) }
      awaitingTags.append(then)
      if awaitingTags.count == 1 { learn() }
    }
  }

  private func learn() {
    let entries = facts.queue.entries
    guard facts.hasLibrary, let first = facts.tags.firstUnknown(of: entries) else {
      facts.queue.fill(from: facts.tags)
      let waiting = awaitingTags
      awaitingTags = []
      for then in waiting { then(nil) }
      return
    }
    let seen = changes.tags
    box.ask(["library", "queue", String(first + 1), String(Self.tagsPage)], mayWait: true) {
      [unowned(unsafe) self] answer in
      if changes.tags != seen {
        // It was asked before the index was another.
      } else if case .done(_, let rows) = answer {
        facts.tags.learn(rows, askedFor: entries[first].path)
      } else {
        facts.tags.giveUp()
      }
      learn()
    }
  }
}
