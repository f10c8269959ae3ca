// Lays the picture out: over one time axis commands, tracks, waveform, gains and states; below it details.

import Foundation

/// The picture of a recording and its story.
struct Picture {
  let recording: Recording
  let story: Story
  private var page = Drawing(width: 1600, height: 1010)
  /// Tracks in the order in which they were heard.
  private let order: [String]

  init(_ recording: Recording, _ story: Story) {
    self.recording = recording
    self.story = story
    var order: [String] = []
    for name in story.stretches.flatMap({ [$0.track] + ($0.next.map { [$0] } ?? []) }) {
      if name != "-", !order.contains(name) { order.append(name) }
    }
    self.order = order
  }

  private func colour(_ track: String) -> String {
    Palette.tracks[(order.firstIndex(of: track) ?? 0) % Palette.tracks.count]
  }

  /// The picture as SVG.
  mutating func drawn() -> String {
    let all = Scale(box: Box(x: 110, y: 0, width: 1460, height: 0), frames: 0..<recording.frames)
    page.text("Swiftlet's demo, frame by frame", 30, 40, size: 24, isBold: true)
    page.text(
      "Six tracks in five formats, recorded by scripts/demo. "
        + "Drawn from the recording and from the states that the player went through.", 30, 63, size: 13,
      fill: Palette.soft)
    let lanes = [("asked for", 116.0), ("track", 167), ("sound", 252), ("gains", 394), ("state", 480)]
    for (name, y) in lanes { page.text(name, 98, y, size: 13, fill: Palette.soft, anchor: "end") }
    axis(all, top: 145, bottom: 536)
    commands(all, top: 85, bottom: 494)
    tracks(all, y: 150, height: 26)
    wave(all, Box(x: all.box.x, y: 184, width: all.box.width, height: 136))
    gains(all, Box(x: all.box.x, y: 334, width: all.box.width, height: 110))
    states(all, y: 460, height: 30)
    details()
    return page.text
  }

  private mutating func axis(_ scale: Scale, top: Double, bottom: Double) {
    let seconds = recording.frames / recording.rate
    for second in stride(from: 0, through: seconds, by: 5) {
      let x = scale.x(second * recording.rate)
      page.line(x, top, x, bottom, stroke: "#e2e8f0")
      page.text(clock(second), x, bottom + 16, size: 12, fill: Palette.soft, anchor: "middle")
    }
  }

  private func clock(_ second: Int) -> String {
    let rest = second % 60
    return "\(second / 60):" + (rest < 10 ? "0" : "") + String(rest)
  }

  /// Flags with what was asked for, in rows so that none hides another.
  private mutating func commands(_ scale: Scale, top: Double, bottom: Double) {
    var rows = [Double](repeating: 0, count: 3)
    let marks =
      story.wishes.map { ($0.frame, $0.text, Palette.command) }
      + story.joins.map { ($0, "gapless join", Palette.join) }
    for (frame, text, colour) in marks.sorted(by: { $0.0 < $1.0 }) {
      let x = scale.x(frame)
      let width = textWidth(text, size: 12) + 10
      let row = rows.firstIndex { $0 < x } ?? 2
      rows[row] = x + width
      let y = top + Double(row) * 19
      page.line(x, y, x, bottom, stroke: colour, width: 1, dashes: "3 3")
      page.box(Box(x: x, y: y, width: width - 3, height: 16), fill: colour, radius: 2)
      page.text(text, x + 5, y + 12, size: 12, fill: "white")
    }
  }

  /// Where each track is heard; in a fade the border runs slanting from one to the other.
  private mutating func tracks(_ scale: Scale, y: Double, height: Double) {
    var begin = (top: 0, bottom: 0)
    for (index, name) in order.enumerated() {
      let end: (top: Int, bottom: Int)
      let next = index + 1 < order.count ? order[index + 1] : nil
      let fade = story.stretches.filter { $0.fade != nil && $0.track == name && $0.next == next }
      if let first = fade.first, let last = fade.last {
        end = (first.start, last.end)
      } else {
        let last = story.stretches.last { $0.track == name && $0.state != "finished" }?.end ?? 0
        end = (last, last)
      }
      let corners = [(begin.top, y), (end.top, y), (end.bottom, y + height), (begin.bottom, y + height)]
      let path = corners.map { "\(n(scale.x($0.0))) \(n($0.1))" }.joined(separator: "L")
      page.path("M\(path)Z", fill: colour(name), stroke: "white", width: 2)
      let middle = (scale.x(max(begin.top, begin.bottom)) + scale.x(min(end.top, end.bottom))) / 2
      page.text(name, middle, y + 18, size: 13, fill: "white", anchor: "middle", isBold: true)
      begin = end
    }
  }

  private mutating func wave(_ scale: Scale, _ box: Box) {
    page.box(box, fill: "none", stroke: Palette.faint)
    let middle = box.y + box.height / 2
    let half = box.height / 2 - 3
    var (peaks, means): ([String: String], [String: String]) = ([:], [:])
    for column in 0..<Int(box.width) {
      let x = box.x + Double(column) + 0.5
      let range = scale.frame(box.x + Double(column))..<scale.frame(box.x + Double(column) + 1)
      let envelope = recording.envelope(range)
      let name = loudest(at: range.lowerBound)
      let (high, low) = (middle - envelope.high * half, middle - envelope.low * half)
      peaks[name, default: ""] += "M\(n(x)) \(n(high))V\(n(max(low, high + 0.5)))"
      let mean = envelope.mean * half
      if mean > 0.4 { means[name, default: ""] += "M\(n(x)) \(n(middle - mean))v\(n(2 * mean))" }
    }
    for name in order {
      if let path = peaks[name] { page.path(path, fill: "none", stroke: colour(name) + "80", width: 1) }
      if let path = means[name] { page.path(path, fill: "none", stroke: colour(name), width: 1) }
    }
  }

  private func loudest(at frame: Int) -> String {
    guard let stretch = story.stretches.last(where: { $0.start <= frame }) else { return order.first ?? "" }
    guard let next = stretch.next, let gains = story.gains(at: frame), let incoming = gains.incoming else {
      return stretch.track
    }
    return incoming > gains.outgoing ? next : stretch.track
  }

  /// Each track's gain as a curve in its colour; dashed where a pause holds the fade.
  private mutating func gains(_ scale: Scale, _ box: Box) {
    page.box(box, fill: "none", stroke: Palette.faint)
    func y(_ gain: Double) -> Double { box.bottom - 2 - gain * (box.height - 8) }
    for name in order {
      var (runs, held): ([[(Double, Double)]], [[(Double, Double)]]) = ([[]], [[]])
      for column in 0...Int(box.width * 2) {
        let x = box.x + Double(column) / 2
        let frame = scale.frame(x)
        guard let stretch = story.stretches.last(where: { $0.start <= frame && frame < $0.end }),
          let gains = story.gains(at: frame), stretch.track == name || stretch.next == name,
          let gain = stretch.track == name ? gains.outgoing : gains.incoming
        else {
          if !runs[runs.count - 1].isEmpty { runs.append([]) }
          if !held[held.count - 1].isEmpty { held.append([]) }
          continue
        }
        runs[runs.count - 1].append((x, y(gain * gains.gate)))
        if stretch.state == "crossfadePaused" {
          held[held.count - 1].append((x, y(gain)))
        } else if !held[held.count - 1].isEmpty {
          held.append([])
        }
      }
      for run in runs where run.count > 1 {
        let line = Self.path(run)
        let area = "M\(n(run[0].0)) \(n(y(0)))L" + line.dropFirst() + "V\(n(y(0)))Z"
        page.path(area, fill: colour(name), opacity: 0.13)
        page.path(line, fill: "none", stroke: colour(name), width: 2)
      }
      for run in held where run.count > 1 {
        page.path(Self.path(run), fill: "none", stroke: colour(name), width: 1.5, dashes: "2 3")
      }
    }
  }

  /// A line through points, without those that lie on the way.
  private static func path(_ points: [(Double, Double)]) -> String {
    var kept: [(Double, Double)] = []
    for point in points {
      if kept.count >= 2, abs(kept[kept.count - 1].1 - point.1) < 0.05,
        abs(kept[kept.count - 2].1 - point.1) < 0.05
      {
        kept[kept.count - 1] = point
      } else {
        kept.append(point)
      }
    }
    return "M" + kept.map { "\(n($0.0)) \(n($0.1))" }.joined(separator: "L")
  }

  /// Boxes in the colours of docs/states.svg; names that do not fit stand below.
  private mutating func states(_ scale: Scale, y: Double, height: Double) {
    var rows = [Double](repeating: 0, count: 2)
    for stretch in merged {
      let (x, end) = (scale.x(stretch.start), scale.x(stretch.end))
      guard end - x > 0.5 || stretch.state == "seeking" else { continue }
      let colours = Palette.state(stretch.state)
      page.box(
        Box(x: x, y: y, width: max(end - x, 3), height: height), fill: colours.fill, stroke: colours.edge,
        radius: 3)
      let width = textWidth(stretch.state, size: 11)
      if width + 6 < end - x {
        page.text(stretch.state, (x + end) / 2, y + 19, size: 11, anchor: "middle")
        continue
      }
      let middle = (x + max(end, x + 3)) / 2
      let row = rows.firstIndex { $0 < middle - width / 2 } ?? 1
      rows[row] = middle + width / 2 + 6
      let below = y + height + 15 + Double(row) * 15
      page.line(middle, y + height, middle, below - 10, stroke: colours.edge)
      page.text(stretch.state, middle, below, size: 11, fill: colours.edge, anchor: "middle")
    }
  }

  /// The states without the lines that only tell a fade's index.
  private var merged: [Stretch] {
    var merged: [Stretch] = []
    for stretch in story.stretches where stretch.state != "finished" {
      if let last = merged.last, last.state == stretch.state, last.track == stretch.track,
        last.next == stretch.next
      {
        merged[merged.count - 1].end = stretch.end
      } else {
        merged.append(stretch)
      }
    }
    return merged
  }

  // MARK: Details

  private mutating func details() {
    let top = 640.0
    let holds = story.stretches.indices.filter { index in
      index > 0 && story.stretches[index].state == "crossfadePaused"
        && story.stretches[index - 1].state == "crossfadePaused"
    }
    if let join = story.joins.first {
      joinDetail(join, Box(x: 30, y: top, width: 480, height: 250))
    }
    for (place, index) in holds.prefix(2).enumerated() {
      holdDetail(index, Box(x: 560 + Double(place) * 525, y: top, width: 485, height: 250))
    }
  }

  private mutating func joinDetail(_ join: Int, _ box: Box) {
    page.text("The first join, sample by sample", box.x, box.y - 32, size: 15, isBold: true)
    page.text(
      "frame \(join), a prime number; no sample added, lost or changed", box.x, box.y - 12, size: 12,
      fill: Palette.soft)
    page.box(box, fill: "#f8fafc", stroke: Palette.faint)
    let reach = 220
    let scale = Scale(box: box, frames: (join - reach)..<(join + reach))
    let values = ((join - reach)..<(join + reach)).map { recording.value($0) }
    let (low, high) = (values.min() ?? -1, values.max() ?? 1)
    let span = max(high - low, 1e-6)
    for (side, name) in [(0, story.track(before: join)), (1, story.track(after: join))] {
      let frames = side == 0 ? (join - reach)..<join : join..<(join + reach)
      let points = frames.map { frame in
        (scale.x(frame), box.y + 16 + (high - recording.value(frame)) / span * (box.height - 50))
      }
      var dots = ""
      for (x, y) in points { dots += "M\(n(x - 1)) \(n(y))h2" }
      page.path(dots, fill: "none", stroke: colour(name), width: 2)
      let x = side == 0 ? box.x + 10 : box.right - 10
      page.text(
        name, x, box.bottom - 10, size: 12, fill: colour(name), anchor: side == 0 ? "start" : "end",
        isBold: true)
    }
    let x = (scale.x(join - 1) + scale.x(join)) / 2
    page.line(x, box.y, x, box.bottom, stroke: Palette.join, width: 1.5, dashes: "3 3")
    page.text("−5 ms", box.x, box.bottom + 16, size: 12, fill: Palette.soft)
    page.text("+5 ms", box.right, box.bottom + 16, size: 12, fill: Palette.soft, anchor: "end")
  }

  private mutating func holdDetail(_ index: Int, _ box: Box) {
    let hold = story.stretches[index]
    guard let fade = hold.fade else { return }
    let percent = fade.from * 100 / fade.length
    let rest = story.stretches[(index + 1)...].first { $0.state == "crossfading" }
    let restFrames = rest.map { $0.end - $0.start } ?? 0
    let isQuick = restFrames < fade.length - fade.from
    page.text("A pause \(percent) % into a crossfade", box.x, box.y - 32, size: 15, isBold: true)
    let seconds = String(format: "%.2f", Double(restFrames) / Double(recording.rate))
    page.text(
      isQuick
        ? "past the half: the rest of the curve is played in \(seconds) s"
        : "held at frame \(fade.from) of \(fade.length) and resumed there: the rest takes \(seconds) s",
      box.x, box.y - 12, size: 12, fill: Palette.soft)
    let margin = recording.rate * 2 / 5
    let start = (story.stretches[..<index].last { $0.fade == nil }?.end ?? hold.start) - margin
    let scale = Scale(box: box, frames: start..<((rest?.end ?? hold.end) + margin))
    page.box(box, fill: "#f8fafc")
    let (x, end) = (scale.x(hold.start), scale.x(hold.end))
    page.box(Box(x: x, y: box.y, width: end - x, height: box.height), fill: "#e2e8f0")
    page.text("silence", (x + end) / 2, box.y + 18, size: 12, fill: Palette.soft, anchor: "middle")
    gains(scale, box)
    for (name, isLeft) in [(hold.track, true), (hold.next ?? "", false)] {
      page.text(
        name, isLeft ? box.x + 8 : box.right - 8, box.bottom + 17, size: 12, fill: colour(name),
        anchor: isLeft ? "start" : "end", isBold: true)
    }
    for wish in story.wishes where scale.frames.contains(wish.frame) {
      let x = scale.x(wish.frame)
      page.line(x, box.y, x, box.bottom, stroke: Palette.command, dashes: "3 3")
      page.text(wish.text, x, box.bottom + 17, size: 12, fill: Palette.command, anchor: "middle")
    }
  }
}

extension Story {
  /// The track that is heard right before a frame.
  func track(before frame: Int) -> String { track(after: frame - 1) }

  /// The track that is heard from a frame on.
  func track(after frame: Int) -> String { stretches.last { $0.start <= frame }?.track ?? "" }
}

/// Frames as x coordinates.
struct Scale {
  let box: Box
  let frames: Range<Int>

  func x(_ frame: Int) -> Double {
    box.x + box.width * Double(frame - frames.lowerBound) / Double(max(1, frames.count))
  }

  func frame(_ x: Double) -> Int {
    frames.lowerBound + Int(((x - box.x) / box.width * Double(frames.count)).rounded())
  }
}
