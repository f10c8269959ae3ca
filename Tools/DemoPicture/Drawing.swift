// Minimal SVG writer: shapes and text at given coordinates.

import Foundation

/// Rectangle on the page.
struct Box {
  var x: Double
  var y: Double
  var width: Double
  var height: Double
  var right: Double { x + width }
  var bottom: Double { y + height }
}

/// SVG page under construction.
struct Drawing {
  private var body = ""
  let width: Double
  let height: Double

  init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// The complete SVG document.
  var text: String {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(n(width)) \(n(height))\" "
      + "font-family=\"DejaVu Sans, Verdana, sans-serif\">\n"
      + "<rect width=\"\(n(width))\" height=\"\(n(height))\" fill=\"white\"/>\n" + body + "</svg>\n"
  }

  mutating func box(_ box: Box, fill: String, stroke: String? = nil, radius: Double = 0) {
    body += "<rect x=\"\(n(box.x))\" y=\"\(n(box.y))\" width=\"\(n(box.width))\" height=\"\(n(box.height))\""
    body += " fill=\"\(fill)\""
    if radius > 0 { body += " rx=\"\(n(radius))\"" }
    if let stroke { body += " stroke=\"\(stroke)\"" }
    body += "/>\n"
  }

  mutating func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, stroke: String, width: Double = 1,
    dashes: String? = nil
  ) {
    path(
      "M\(n(x1)) \(n(y1))L\(n(x2)) \(n(y2))", fill: "none", stroke: stroke, width: width, dashes: dashes)
  }

  mutating func path(
    _ data: String, fill: String, stroke: String? = nil, width: Double = 1, opacity: Double = 1,
    dashes: String? = nil
  ) {
    body += "<path d=\"\(data)\" fill=\"\(fill)\""
    if opacity < 1 { body += " fill-opacity=\"\(opacity)\"" }
    if let stroke {
      body += " stroke=\"\(stroke)\" stroke-width=\"\(width)\" stroke-linejoin=\"round\""
    }
    if let dashes { body += " stroke-dasharray=\"\(dashes)\"" }
    body += "/>\n"
  }

  mutating func text(
    _ text: String, _ x: Double, _ y: Double, size: Double, fill: String = Palette.ink,
    anchor: String = "start", isBold: Bool = false
  ) {
    let safe = text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    body += "<text x=\"\(n(x))\" y=\"\(n(y))\" font-size=\"\(n(size))\" fill=\"\(fill)\""
    if anchor != "start" { body += " text-anchor=\"\(anchor)\"" }
    if isBold { body += " font-weight=\"bold\"" }
    body += ">\(safe)</text>\n"
  }
}

/// Estimated width of a text in pixels, rounded up: DejaVu Sans is wide.
func textWidth(_ text: String, size: Double, isBold: Bool = false) -> Double {
  Double(text.count) * size * (isBold ? 0.69 : 0.62)
}

/// Formats a coordinate with at most one decimal.
func n(_ value: Double) -> String {
  let tenths = Int((value * 10).rounded())
  if tenths % 10 == 0 { return String(tenths / 10) }
  return (tenths < 0 ? "-" : "") + "\(abs(tenths) / 10).\(abs(tenths) % 10)"
}

/// Colours of docs/reference/states.svg, and one for each track.
enum Palette {
  static let ink = "#0f172a"
  static let soft = "#475569"
  static let faint = "#cbd5e1"
  static let join = "#15803d"
  static let command = "#b91c1c"

  /// Fill and edge colour of a state.
  static func state(_ name: String) -> (fill: String, edge: String) {
    switch name {
    case "playing": ("#dcfce7", "#15803d")
    case "preparing", "seeking", "buffering": ("#fef9c3", "#a16207")
    case "preparingCrossfade": ("#eff6ff", "#60a5fa")
    case "crossfading": ("#93c5fd", "#1d4ed8")
    case "crossfadePaused": ("#dbeafe", "#1d4ed8")
    case "fadingOut": ("#f3e8ff", "#7e22ce")
    case "failed": ("#fee2e2", "#b91c1c")
    default: ("#f1f5f9", "#475569")
    }
  }

  static let tracks = ["#0f766e", "#2563eb", "#7c3aed", "#c2410c", "#475569", "#be185d"]
}
