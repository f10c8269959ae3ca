// Plots the frequency response of the speaker correction as SVG. Pure functions; any thread.

import PlaybackModel
import Platform

/// A plot of gain in dB over frequency in Hz.
struct ResponsePlot {
  let correction: SpeakerCorrection
  let rate: SampleRate

  private static let width = 920.0
  private static let height = 460.0
  private static let (left, right, top, bottom) = (58.0, 20.0, 46.0, 40.0)
  private static let lowest = 20.0
  private static let points = 480
  /// Frequency ratio between adjacent points; the 480 steps cover three decades, 20 Hz to 20 kHz.
  private static let ratio = 1.0144952080687362
  /// Grid lines: position as a fraction of the width, and label in Hz.
  private static let frequencies = [
    (0, "20"), (0.132647, "50"), (0.23299, "100"), (0.333333, "200"), (0.46598, "500"), (0.566323, "1k"),
    (0.666667, "2k"), (0.799313, "5k"), (0.899657, "10k"), (1, "20k"),
  ]
  /// Volumes in percent for which the loudness correction is drawn.
  private static let volumes: [(percent: Float, colour: String)] = [(50, "#d97706"), (20, "#b91c1c")]

  /// The SVG document.
  var svg: String {
    var curves = [Curve(name: "response", colour: "#1d4ed8", dashes: "", levels: levels(nil))]
    if correction.loudness != nil {
      for (percent, colour) in Self.volumes {
        curves.append(
          Curve(
            name: "at volume " + String(Int(percent)) + " %", colour: colour, dashes: "6 4",
            levels: levels(Volume(percent))))
      }
    }
    let scale = Scale(curves)
    var text =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + Self.number(Self.width) + " "
      + Self.number(Self.height) + "\" font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"12\">\n"
      + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    text += grid(scale)
    for curve in curves { text += path(curve, scale) }
    text += legend(curves)
    return text + "</svg>\n"
  }

  private struct Curve {
    let name: String
    let colour: String
    let dashes: String
    let levels: [Double]
  }

  /// Range of the vertical axis in dB, rounded to grid steps.
  private struct Scale {
    let low: Double
    let high: Double
    let step: Double

    init(_ curves: [Curve]) {
      var high = 3.0
      var low = -6.0
      for curve in curves {
        for level in curve.levels {
          high = max(high, level)
          low = min(low, level)
        }
      }
      // Limit the range, since notches and high-pass filters have no lower bound.
      low = max(low, -36)
      step = high - low > 24 ? 6 : 3
      self.high = (high / step).rounded(.up) * step
      self.low = (low / step).rounded(.down) * step
    }

    func y(_ level: Double) -> Double {
      let share = (high - max(level, low)) / (high - low)
      return ResponsePlot.top + share * (ResponsePlot.height - ResponsePlot.top - ResponsePlot.bottom)
    }
  }

  private func levels(_ volume: Volume?) -> [Double] {
    let response = correction.response(at: rate, volume: volume)
    var levels: [Double] = []
    var frequency = Self.lowest
    while levels.count <= Self.points, frequency < Double(rate.hertz) / 2 {
      levels.append(response.decibels(at: frequency))
      frequency *= Self.ratio
    }
    return levels
  }

  private static func x(_ share: Double) -> Double { left + share * (width - left - right) }

  private func grid(_ scale: Scale) -> String {
    var text = ""
    for (share, name) in Self.frequencies {
      let x = Self.x(share)
      text += Self.line(x, Self.top, x, Self.height - Self.bottom, "#e2e8f0")
      text += Self.label(x, Self.height - Self.bottom + 18, name, "middle")
    }
    var level = scale.low
    while level <= scale.high {
      let y = scale.y(level)
      text += Self.line(Self.left, y, Self.width - Self.right, y, level == 0 ? "#64748b" : "#e2e8f0")
      let sign = level > 0 ? "+" : ""
      text += Self.label(Self.left - 8, y + 4, sign + Decimal.format(level, decimals: 0), "end")
      level += scale.step
    }
    return text + Self.label(Self.left - 8, Self.top - 14, "dB", "end")
      + Self.label(Self.width - Self.right, Self.height - 6, "Hz", "end")
  }

  private func path(_ curve: Curve, _ scale: Scale) -> String {
    var text = "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" + curve.colour + "\""
    if !curve.dashes.isEmpty { text += " stroke-dasharray=\"" + curve.dashes + "\"" }
    text += " points=\""
    for (point, level) in curve.levels.enumerated() {
      text += (point == 0 ? "" : " ") + Self.number(Self.x(Double(point) / Double(Self.points)))
      text += "," + Self.number(scale.y(level))
    }
    return text + "\"/>\n"
  }

  private func legend(_ curves: [Curve]) -> String {
    var text = ""
    var x = Self.left
    for curve in curves {
      text += Self.line(x, 22, x + 26, 22, curve.colour) + Self.label(x + 32, 26, curve.name, "start")
      x += 170
    }
    let headroom = Decimal.format(correction.headroom(at: rate), decimals: 1)
    return text
      + Self.label(
        Self.width - Self.right, 26, String(rate.hertz) + " Hz, " + headroom + " dB of headroom", "end")
  }

  private static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ colour: String) -> String
  {
    "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2)
      + "\" stroke=\"" + colour + "\"/>\n"
  }

  private static func label(_ x: Double, _ y: Double, _ text: String, _ anchor: String) -> String {
    "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor
      + "\" fill=\"#334155\">" + text + "</text>\n"
  }

  private static func number(_ value: Double) -> String { Decimal.format(value, decimals: 1) }
}
