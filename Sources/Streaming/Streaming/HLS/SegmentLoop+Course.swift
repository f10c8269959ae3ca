// What the HLS loop does after loading a playlist, and after failures. Fetcher process, one thread.

import Platform

extension SegmentLoop {
  // MARK: Playlists

  /// Applies a playlist that was loaded from the address `base`.
  func take(_ playlist: Playlist, from base: String) throws(FetchFailure) {
    switch playlist {
    case .variants(let variants):
      try playlists.take(variants, from: base)
      beginPlaylist()
    case .segments(let list):
      playlists.base = base
      let now = request?.begun ?? 0
      switch schedule.take(list, at: now) {
      case .news: playlists.newsAt = now
      case .jump(let missing):
        playlists.newsAt = now
        leaveOut(missing)
      case .nothing: try noteNothingNew(list, at: now)
      }
      if !isOpen, list.segments.isEmpty {
        throw FetchFailure(sentence: "It names no segments.", remedy: .retrying)
      }
      request = nil
    }
  }

  func beginPlaylist() {
    request = SegmentRequest(.playlist, at: playlists.current, called: "The playlist")
  }

  /// Fails if the playlist of a live stream has not changed for three target durations.
  private func noteNothingNew(_ list: SegmentList, at now: UInt64) throws(FetchFailure) {
    let limit = UInt64(3 * list.target) * 1_000_000
    guard now &- playlists.newsAt > limit, schedule.step(at: 0) != .end else { return }
    if case .load = schedule.step(at: now) { return }
    throw FetchFailure(sentence: "It names nothing new.", remedy: .reconnecting)
  }

  /// Starts the next request, or waits until it is due.
  func goOn(at now: UInt64) throws(FetchFailure) {
    switch schedule.step(at: now) {
    case .load(let segment): try begin(segment)
    case .reload(let time):
      guard time > now else { return beginPlaylist() }
      lag.reachPresent(at: now)
      noteLag()
      link.wait(FetcherLink.milliseconds(from: now, to: time))
    case .end:
      guard isOpen else { throw FetchFailure(sentence: "The playlist's segments (HLS) hold no sound.") }
      link.isOver = true
      link.publish(.complete)
    }
  }

  private func begin(_ segment: Segment) throws(FetchFailure) {
    guard let list = schedule.list else { return }
    guard !segment.isProtected else {
      let method = String(decoding: list.protection, as: UTF8.self).printable(limit: 40)
      throw FetchFailure(
        sentence: "The station's segments (HLS) are encrypted (\(method)), which cannot be played.",
        kind: .protection)
    }
    guard !segment.isGap else {
      schedule.advance()
      return leaveOut(segment.duration)
    }
    if let number = segment.map, try begin(map: list.maps[number]) { return }
    let called = "Segment \(schedule.next)"
    let address: String
    do throws(FetchFailure) {
      address = try self.address(segment.part.reference, called)
    } catch {
      request = SegmentRequest(.segment(segment), at: "", called: called)
      return try lose(error)
    }
    if segment.isDiscontinuous { leaveOut(0) }
    if !segment.title.isEmpty, Self.isTitle(list.text[segment.title]) {
      name(String(decoding: list.text[segment.title], as: UTF8.self).printable(limit: 200), fromTag: false)
    }
    unpacker.begin(at: segment.part.bytes?.offset ?? 0)
    request = SegmentRequest(.segment(segment), at: address, called: called, segment.part.bytes)
  }

  /// Starts to load an initialisation section. Returns false if it is already loaded.
  private func begin(map part: Part) throws(FetchFailure) -> Bool {
    let called = "What describes the segments"
    let wanted = SegmentMap(address: try address(part.reference, called), bytes: part.bytes)
    guard wanted != map else { return false }
    // The previous section is void, even if this one fails to load.
    map = nil
    unpacker.begin(at: part.bytes?.offset ?? 0)
    request = SegmentRequest(.map, at: wanted.address, called: called, part.bytes)
    return true
  }

  /// Whether the title of a segment can be shown: some playlists put attributes or a placeholder there.
  private static func isTitle(_ text: ArraySlice<UInt8>) -> Bool {
    !text.contains(0x3D) && !PlaylistLines.isSame(text, "no desc")
  }

  /// Resolves a reference of the playlist.
  private func address(_ reference: Range<Int>, _ name: String) throws(FetchFailure) -> String {
    let text = schedule.list?.text[reference] ?? []
    guard let address = WebAddress.resolve(text, against: playlists.base) else {
      let shown = String(decoding: text, as: UTF8.self).printable(limit: 120)
      throw FetchFailure(sentence: "The playlist names \(shown), which is no address of a stream.")
    }
    return address
  }

  /// Records a discontinuity in a live stream.
  ///
  /// - Parameter milliseconds: Duration of the missing audio; 0 if unknown.
  private func leaveOut(_ milliseconds: Int64) {
    guard isOpen, isStation else { return }
    link.spool.noteSeam()
    link.send(.rejoined(offset: UInt64(link.spool.end), missing: UInt64(max(0, milliseconds))))
    lag.rejoin()
    noteLag()
    link.wakeAnyway()
  }

  /// Moves to the live position, skipping the segments before it.
  func renew() {
    guard isStation, isOpen, !link.isOver else { return }
    stop()
    schedule.goToPresent()
  }

  // MARK: Failures

  /// Handles a failed request: schedules a retry, skips the segment, or throws if the stream has failed.
  func lose(_ failure: FetchFailure) throws(FetchFailure) {
    let failure = FetchFailure(
      sentence: request.map { $0.name + " (HLS): " + failure.sentence } ?? failure.sentence,
      remedy: failure.remedy, kind: failure.kind)
    guard isOpen else { return try tryOther(failure) }
    let now = MonotonicClock.now()
    if failure.remedy == .nothing, failure.kind == .bytes, isStation,
      case .segment(let segment) = request?.goal
    {
      // The segment does not exist; the following ones may.
      stop()
      schedule.advance()
      leaveOut(segment.duration)
    } else {
      guard failure.kind == .bytes, failure.remedy == .reconnecting || isStation else { throw failure }
      if request?.goal == .map || request?.goal == .playlist { request = nil }
    }
    lag.note(held: true, end: link.spool.end, at: now)
    noteLag()
    guard let isFirst = attempts.lose(at: now) else {
      throw FetchFailure(sentence: failure.sentence, remedy: .retrying)
    }
    if isFirst { link.send(.interrupted(failure.sentence)) }
  }

  /// Tries another quality after a failure before the first audio. Throws the failure if there is none.
  private func tryOther(_ failure: FetchFailure) throws(FetchFailure) {
    stop()
    guard playlists.useOther() else { throw failure }
    schedule = SegmentSchedule()
    unpacker = SegmentUnpacker()
    map = nil
    beginPlaylist()
  }
}

/// An initialisation section, identified by its resolved address, because ranges in the playlist's text
/// change on each reload.
struct SegmentMap: Equatable {
  let address: String
  let bytes: Part.Bytes?
}

/// The addresses of the playlists of a stream.
struct PlaylistAddresses {
  /// Maximum number of qualities to try.
  private static let maxTries = 4

  /// The media playlist that is reloaded.
  private(set) var current: String
  /// The address that it was loaded from, after redirects, for resolving references.
  var base = ""
  /// When it last changed, in monotonic nanoseconds.
  var newsAt: UInt64 = 0
  private var others: ArraySlice<String> = []
  private var hasVariants = false

  init(_ url: String) { current = url }

  /// Applies a multivariant playlist and selects its best quality.
  mutating func take(_ variants: [Variant], from base: String) throws(FetchFailure) {
    guard !hasVariants else {
      throw FetchFailure(sentence: "It names qualities, and was one of them itself.")
    }
    hasVariants = true
    let addresses = VariantChoice.order(variants).compactMap {
      WebAddress.resolve($0.reference[...], against: base)
    }
    guard let first = addresses.first else {
      let shown = variants.first.map { String(decoding: $0.reference, as: UTF8.self).printable(limit: 120) }
      throw FetchFailure(sentence: "It names \(shown ?? "nothing"), which is no address of a stream.")
    }
    current = first
    others = addresses.dropFirst().prefix(Self.maxTries - 1)
  }

  /// Selects the next best quality. Returns false if there is none.
  mutating func useOther() -> Bool {
    guard let next = others.popFirst() else { return false }
    current = next
    return true
  }
}
