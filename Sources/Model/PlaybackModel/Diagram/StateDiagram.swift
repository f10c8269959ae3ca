// Renders the state diagram as SVG. Boxes and main arrows are placed by hand; the labels come from the transition
// table. Pure; control thread, on demand.

extension StateTable {
  /// The diagram as SVG. Each transition is an arrow if one is defined below, otherwise a line in the box of its state.
  package func svg() -> String {
    var text =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1560 1150\" "
      + "font-family=\"DejaVu Sans, Verdana, sans-serif\">\n"
      + "<!-- Printed by the command swiftlet states; made by running the state machine. -->\n"
      + "<defs><marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" "
      + "markerHeight=\"8\" orient=\"auto-start-reverse\"><path d=\"M0 0 L10 5 L0 10 z\" fill=\"#334155\"/>"
      + "</marker></defs>\n<rect width=\"1560\" height=\"1150\" fill=\"white\"/>\n"
    for arrow in DiagramLayout.arrows {
      let events = events(from: arrow.from, to: arrow.to)
      guard !events.isEmpty else { continue }
      text +=
        "<path d=\"M" + point(arrow.from, arrow.start) + " " + arrow.bend
        + (arrow.bend.utf8.isEmpty ? "L" : " ")
        + point(arrow.to, arrow.end) + "\" fill=\"none\" stroke=\"#334155\" stroke-width=\"1.5\" "
        + "marker-end=\"url(#head)\"/>\n"
    }
    for arrow in DiagramLayout.arrows {
      let events = events(from: arrow.from, to: arrow.to)
      for (line, event) in events.enumerated() {
        // A label that grows upwards ends at its point; others start there.
        let y = arrow.growsUp ? arrow.y - 12 * (events.count - 1 - line) : arrow.y + 12 * line
        text += label(event.name, x: arrow.x, y: y, anchor: arrow.anchor)
      }
    }
    for state in PlayerState.Kind.allCases { text += box(state) }
    return text + legend() + "</svg>\n"
  }

  /// The transitions of a state without an arrow.
  private func boxLines(_ state: PlayerState.Kind) -> [String] {
    var lines: [String] = []
    for target in PlayerState.Kind.allCases where target != state && !DiagramLayout.hasArrow(state, target) {
      let events = events(from: state, to: target)
      guard !events.isEmpty else { continue }
      lines += DiagramLayout.wrapped("→ " + target.name + ": ", events.map { $0.name })
    }
    return lines
  }

  private func point(_ state: PlayerState.Kind, _ side: DiagramLayout.Side) -> String {
    let center = DiagramLayout.center(state)
    let halfHeight = DiagramLayout.boxHeight(lines: boxLines(state).count) / 2
    let halfWidth = DiagramLayout.boxWidth / 2
    switch side {
    case .left(let shift): return String(center.x - halfWidth - 1) + " " + String(center.y + shift)
    case .right(let shift): return String(center.x + halfWidth + 1) + " " + String(center.y + shift)
    case .top(let shift): return String(center.x + shift) + " " + String(center.y - halfHeight - 1)
    case .bottom(let shift): return String(center.x + shift) + " " + String(center.y + halfHeight + 1)
    }
  }

  private func box(_ state: PlayerState.Kind) -> String {
    let place = DiagramLayout.center(state)
    let colours = DiagramColours.of(state)
    let lines = boxLines(state)
    let width = DiagramLayout.boxWidth
    let height = DiagramLayout.boxHeight(lines: lines.count)
    let left = place.x - width / 2
    let top = place.y - height / 2
    var text = "<rect x=\"" + String(left) + "\" y=\"" + String(top) + "\" width=\"" + String(width)
    text += "\" height=\"" + String(height) + "\" rx=\"9\" fill=\"" + colours.fill + "\" stroke=\""
    text += colours.line + "\" stroke-width=\"2\"/>\n<text x=\"" + String(place.x) + "\" y=\""
    text += String(top + 25) + "\" font-size=\"17\" font-weight=\"bold\" text-anchor=\"middle\" fill=\""
    text += colours.line + "\">" + state.name + "</text>\n"
    for (i, line) in lines.enumerated() {
      text += "<text x=\"" + String(left + 10) + "\" y=\"" + String(top + 44 + 13 * i)
      text += "\" font-size=\"10\" fill=\"#334155\" xml:space=\"preserve\">" + line + "</text>\n"
    }
    return text
  }

  /// Text with a white outline, to be readable on top of arrows.
  private func label(_ name: String, x: Int, y: Int, anchor: String) -> String {
    "<text x=\"" + String(x) + "\" y=\"" + String(y) + "\" font-size=\"10.5\" text-anchor=\"" + anchor
      + "\" fill=\"#0f172a\" stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\">" + name
      + "</text>\n"
  }

  private func legend() -> String {
    var text = "<text x=\"40\" y=\"985\" font-size=\"20\" font-weight=\"bold\" fill=\"#0f172a\">"
    text += "Swiftlet: the states of the player</text>\n"
    let lines = [
      "Arrows and lines in the boxes: what leads to another state, depending on its contents.",
      "Not shown: events that stay in their state (intents, reasons, positions) or are rejected.",
      "Blue: a crossfade is a state, not a flag. Yellow: waits for a decoder and keeps an intent.",
      "The complete table is docs/reference/states.md.",
    ]
    for (i, line) in lines.enumerated() {
      text += "<text x=\"40\" y=\"" + String(1012 + 19 * i) + "\" font-size=\"12\" fill=\"#334155\">"
      text += line + "</text>\n"
    }
    return text
  }
}

/// Positions of boxes and arrows.
enum DiagramLayout {
  static let boxWidth = 270

  static func boxHeight(lines: Int) -> Int { 38 + 13 * lines + (lines > 0 ? 6 : 0) }

  /// A point on the edge of a box, shifted along the edge from its centre.
  enum Side {
    case left(Int), right(Int), top(Int), bottom(Int)
  }

  struct Arrow {
    let from: PlayerState.Kind
    let to: PlayerState.Kind
    let start: Side
    let end: Side
    let bend: String
    let x: Int
    let y: Int
    let anchor: String
    let growsUp: Bool
  }

  static func center(_ state: PlayerState.Kind) -> (x: Int, y: Int) {
    switch state {
    case .idle: (165, 110)
    case .preparing: (570, 110)
    case .ready: (980, 110)
    case .failed: (165, 380)
    case .seeking: (570, 380)
    case .playing: (980, 380)
    case .paused: (1400, 380)
    case .finished: (165, 680)
    case .fadingOut: (570, 680)
    case .preparingCrossfade: (980, 680)
    case .buffering: (1400, 680)
    case .crossfading: (980, 1000)
    case .crossfadePaused: (1400, 1000)
    }
  }

  static var arrows: [Arrow] {
    func arrow(
      _ from: PlayerState.Kind, _ start: Side, _ to: PlayerState.Kind, _ end: Side, _ x: Int, _ y: Int,
      _ anchor: String = "middle", up: Bool = false, bend: String = ""
    ) -> Arrow {
      Arrow(from: from, to: to, start: start, end: end, bend: bend, x: x, y: y, anchor: anchor, growsUp: up)
    }
    return [
      arrow(.idle, .right(0), .preparing, .left(0), 366, 104, up: true),
      arrow(.preparing, .right(0), .ready, .left(0), 774, 104, up: true),
      arrow(.ready, .bottom(0), .playing, .top(0), 988, 240, "start"),
      arrow(.preparing, .bottom(100), .playing, .top(-100), 775, 250, "end"),
      arrow(.seeking, .right(0), .playing, .left(0), 774, 374, up: true),
      arrow(.playing, .right(-11), .paused, .left(-11), 1189, 362, up: true),
      arrow(.paused, .left(11), .playing, .right(11), 1189, 408),
      arrow(.playing, .bottom(-20), .preparingCrossfade, .top(-20), 952, 505, "end"),
      arrow(.preparingCrossfade, .top(20), .playing, .bottom(20), 1008, 540, "start"),
      arrow(.preparingCrossfade, .bottom(-20), .crossfading, .top(-20), 952, 855, "end"),
      arrow(.crossfading, .top(20), .preparingCrossfade, .bottom(20), 1008, 855, "start"),
      arrow(.crossfading, .right(-11), .crossfadePaused, .left(-11), 1189, 982, up: true),
      arrow(.crossfadePaused, .left(11), .crossfading, .right(11), 1189, 1028),
      arrow(.crossfading, .left(-20), .playing, .left(35), 806, 830, "end", bend: "C800 880 805 520"),
      arrow(.playing, .bottom(110), .buffering, .top(-90), 1215, 520, "start"),
      arrow(.buffering, .left(-40), .playing, .bottom(75), 1140, 590, "start"),
      arrow(.buffering, .top(20), .paused, .bottom(20), 1428, 540, "start"),
      arrow(.paused, .bottom(-20), .buffering, .top(-20), 1372, 505, "end"),
      arrow(.playing, .bottom(-110), .fadingOut, .top(90), 740, 500, "end"),
      arrow(.preparingCrossfade, .left(0), .fadingOut, .right(0), 758, 674, up: true),
      arrow(.crossfading, .left(10), .fadingOut, .bottom(15), 605, 870, "end", bend: "C700 980 600 880"),
      arrow(.fadingOut, .left(0), .finished, .right(0), 368, 674, up: true),
      arrow(
        .crossfadePaused, .top(100), .paused, .bottom(110), 1502, 830, "end", bend: "C1565 800 1565 560"),
    ]
  }

  static func hasArrow(_ from: PlayerState.Kind, _ to: PlayerState.Kind) -> Bool {
    for arrow in arrows where arrow.from == from && arrow.to == to { return true }
    return false
  }

  /// Names separated by commas, wrapped to the width of a box.
  static func wrapped(_ head: String, _ names: [String]) -> [String] {
    var lines: [String] = []
    var line = head
    var length = head.unicodeScalars.count
    for (i, name) in names.enumerated() {
      let part = i < names.count - 1 ? name + ", " : name
      if length + part.utf8.count > 45 {
        lines.append(line)
        line = "     "
        length = 5
      }
      line += part
      length += part.utf8.count
    }
    lines.append(line)
    return lines
  }
}
