// Lower half of the demo picture: one join sample by sample, and enlarged pauses during fades.

import Foundation

extension Picture {
  mutating func details() {
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
      "the second file goes on with frame \(join) of the recording", box.x, box.y - 12, size: 12,
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
    for command in story.commands where scale.frames.contains(command.frame) {
      let x = scale.x(command.frame)
      page.line(x, box.y, x, box.bottom, stroke: Palette.command, dashes: "3 3")
      page.text(command.text, x, box.bottom + 17, size: 12, fill: Palette.command, anchor: "middle")
    }
  }
}
