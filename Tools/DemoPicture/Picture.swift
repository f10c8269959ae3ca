// Layout of the demo picture: commands, tracks, waveform, gains and states over one time axis, with details below.

import Foundation

/// Picture of a recording and its events.
struct Picture {
  let recording: Recording
  let story: Story
  var page = Drawing(width: 1600, height: 960)
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

  func colour(_ track: String) -> String {
    Palette.tracks[(order.firstIndex(of: track) ?? 0) % Palette.tracks.count]
  }

  /// Renders the picture as SVG.
  mutating func drawn() -> String {
    let all = Scale(box: Box(x: 110, y: 0, width: 1460, height: 0), frames: 0..<recording.frames)
    page.text("Swiftlet's demo, frame by frame", 30, 40, size: 24, isBold: true)
    page.text(
      "\(order.count) tracks, recorded by scripts/demo. "
        + "Sound: peaks and mean power of the recording. Gains: the fade's formula at the logged frames, times volume and ramps.",
      30, 63, size: 13,
      fill: Palette.soft)
    let lanes = [("asked for", 116.0), ("track", 167), ("sound", 252), ("gains", 394), ("state", 480)]
    for (name, y) in lanes { page.text(name, 30, y, size: 13, fill: Palette.soft) }
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

  /// Draws a flag for each command, in rows so that they do not overlap.
  private mutating func commands(_ scale: Scale, top: Double, bottom: Double) {
    var rows = [Double](repeating: 0, count: 3)
    let marks =
      story.commands.map { ($0.frame, $0.text, Palette.command) }
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

  /// Draws where each track is heard; during a fade the border is slanted.
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
    for (value, name) in [(1.0, "full scale"), (0, "0"), (-1, "−full scale")] {
      page.text(name, box.x - 6, middle - value * half + 4, size: 10, fill: Palette.soft, anchor: "end")
    }
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

  /// Draws each track's gain as a curve in its colour, dashed while a pause holds the fade.
  mutating func gains(_ scale: Scale, _ box: Box) {
    page.box(box, fill: "none", stroke: Palette.faint)
    func y(_ gain: Double) -> Double { box.bottom - 2 - gain * (box.height - 8) }
    for (gain, name) in [(1.0, "1"), (0.5, "0.5"), (0, "0")] {
      page.text(name, box.x - 6, y(gain) + 4, size: 10, fill: Palette.soft, anchor: "end")
    }
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

  /// A path through points, without redundant ones on horizontal stretches.
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

  /// Draws the states as boxes in the colours of docs/reference/states.svg; names that do not fit are below, in rows.
  private mutating func states(_ scale: Scale, y: Double, height: Double) {
    var rows = [Double](repeating: 0, count: 3)
    let (lasting, moments) = band(within: scale.box.width)
    // Momentary states are drawn over the band, so they come last; names are placed from left to right.
    for stretch in lasting + moments {
      let (x, end) = (scale.x(stretch.start), scale.x(stretch.end))
      let colours = Palette.state(stretch.state)
      let box = Box(x: x, y: y, width: max(end - x, 3), height: height)
      page.box(box, fill: colours.fill, stroke: colours.edge, radius: end - x > 6 ? 3 : 0)
    }
    for stretch in (lasting + moments).sorted(by: { $0.start < $1.start }) {
      let (x, end) = (scale.x(stretch.start), scale.x(stretch.end))
      let width = textWidth(stretch.state, size: 11)
      if width + 6 < end - x {
        // Beside momentary states that divide the box, if there is room.
        let cut = moments.first { $0.start > stretch.start && $0.start < stretch.end }.map {
          scale.x($0.start)
        }
        let room = [(x, cut ?? end), (cut ?? x, end)].first { width + 6 < $0.1 - $0.0 } ?? (x, end)
        page.text(stretch.state, (room.0 + room.1) / 2, y + 19, size: 11, anchor: "middle")
        continue
      }
      let middle = (x + max(end, x + 3)) / 2
      let row = rows.firstIndex { $0 < middle - width / 2 } ?? rows.count - 1
      rows[row] = middle + width / 2 + 6
      let below = y + height + 15 + Double(row) * 15
      let colour = Palette.state(stretch.state).edge
      page.line(middle, y + height, middle, below - 10, stroke: colour)
      page.text(stretch.state, middle, below, size: 11, fill: colour, anchor: "middle")
    }
  }

  /// States with a duration, with consecutive lines of one state merged, and momentary states without one.
  private func band(within width: Double) -> (lasting: [Stretch], moments: [Stretch]) {
    let shown = story.stretches.filter { $0.state != "finished" }
    var lasting: [Stretch] = []
    for stretch in shown where stretch.end > stretch.start {
      if let last = lasting.last, last.state == stretch.state, last.track == stretch.track,
        last.next == stretch.next
      {
        lasting[lasting.count - 1].end = stretch.end
      } else {
        lasting.append(stretch)
      }
    }
    // Less than half a pixel wide; the events file lists it.
    lasting.removeAll { $0.end - $0.start < Int(Double(recording.frames) / width / 2) }
    return (lasting, shown.filter { $0.end == $0.start })
  }
}

extension Story {
  /// The track heard right before a frame.
  func track(before frame: Int) -> String { track(after: frame - 1) }

  /// The track heard from a frame on.
  func track(after frame: Int) -> String { stretches.last { $0.start <= frame }?.track ?? "" }
}

/// Converts frames to x coordinates and back.
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
