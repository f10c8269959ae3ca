// The demo's picture shows the recording and the events file, at the right times. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite(.realTime) struct DemoPictureTests {
  private static let tool = Workbench.products.appendingPathComponent("DemoPicture")
  private static let rate = 8000

  /// Ten seconds: a join at 2 s, and a fade of 4 s from 4 s on that a pause holds from 5 s to 7 s.
  private static let events = """
    0 preparing One
    0 playing One
    16000 playing Two
    16000 preparingCrossfade Two\tThree
    32000 crossfading Two\tThree\t0/16000 linear
    40000 command pause
    40000 crossfadePaused Two\tThree\t8000/16000 linear
    41600 crossfadePaused Two\tThree\t9600/16000 linear
    56000 command play
    56000 crossfading Two\tThree\t9600/16000 linear
    62400 playing Three
    80000 finished Three

    """

  private func draw(events: String, sound: Data? = nil) throws -> (Outcome, Data?) {
    let bench = try Workbench()
    try bench.write(sound ?? Self.recording, as: "recording.wav")
    try bench.write(Data(events.utf8), as: "events.txt")
    let outcome = try Child(
      Self.tool, ["recording.wav", "events.txt", "picture.svg"], in: bench.directory, environment: [:]
    ).wait(seconds: 60)
    return (outcome, try? Data(contentsOf: bench.directory.appendingPathComponent("picture.svg")))
  }

  /// A tone of ten seconds, 16 bits, two channels.
  private static var recording: Data {
    var bytes = Data()
    func append(_ value: Int, _ count: Int) {
      (0..<count).forEach { bytes.append(UInt8(value >> (8 * $0) & 255)) }
    }
    let frames = 10 * rate
    bytes += Data("RIFF".utf8)
    append(36 + frames * 4, 4)
    bytes += Data("WAVEfmt ".utf8)
    for (value, count) in [(16, 4), (1, 2), (2, 2), (rate, 4), (rate * 4, 4), (4, 2), (16, 2)] {
      append(value, count)
    }
    bytes += Data("data".utf8)
    append(frames * 4, 4)
    for frame in 0..<frames {
      let sample = Int(sin(Double(frame) * 0.2) * 12000)
      append(sample, 2)
      append(sample, 2)
    }
    return bytes
  }

  @Test func `marks, states and gains stand where the events put them`() throws {
    let (outcome, picture) = try draw(events: Self.events)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let page = Page(try #require(picture))
    #expect(page.isWellFormed)
    // The time axis runs from x = 110 over 1460 units.
    func x(_ second: Double) -> Double { 110 + second * 146 }
    for (text, second) in [("gapless join", 2.0), ("pause", 5), ("play", 7)] {
      let flag = try #require(page.texts.first { $0.text == text })
      #expect(abs(flag.x - 5 - x(second)) < 0.2, "\(text)")
    }
    for (text, from, to) in [("playing", 0.0, 2.0), ("crossfading", 4, 5), ("crossfadePaused", 5, 7)] {
      let name = try #require(page.texts.first { $0.text == text })
      #expect(abs(name.x - (x(from) + x(to)) / 2) < 0.2, "\(text)")
    }
    #expect(page.texts.contains { $0.text == "A pause 60 % into a crossfade" })
    #expect(outcome.output.contains("stood still on frame 9600 of the fade's 16000, resumed on frame 9600"))
    // A linear fade is at one half in the middle of its index: 1 s after its start.
    let middle = page.curves.compactMap { $0.first { abs($0.x - x(4.99)) < 0.5 }?.y }
    let (top, bottom) = (340.0, 442.0)
    #expect(middle.count { abs($0 - (top + bottom) / 2) < 2 } >= 2, "\(middle)")
  }

  @Test(arguments: [
    ("16000 playing", "has a line that is no event"), ("nonsense all the way", "has a line that is no event"),
  ])
  func `an events file that is none is named`(line: String, words: String) throws {
    let (outcome, picture) = try draw(events: line + "\n")
    #expect(outcome.status == 1 && !outcome.isCrash)
    #expect(outcome.reports("events.txt", words))
    #expect(picture == nil)
  }

  @Test func `a recording that is none is named`() throws {
    let (outcome, _) = try draw(events: Self.events, sound: Data("no sound".utf8))
    #expect(outcome.status == 1 && !outcome.isCrash)
    #expect(outcome.reports("recording.wav", "no WAV file"))
  }
}

/// The content of an SVG document.
private final class Page: NSObject, XMLParserDelegate {
  private(set) var texts: [(text: String, x: Double)] = []
  /// Points of the unfilled lines.
  private(set) var curves: [[(x: Double, y: Double)]] = []
  private(set) var isWellFormed = false
  private var text: (text: String, x: Double)?

  init(_ data: Data) {
    super.init()
    let parser = XMLParser(data: data)
    parser.delegate = self
    isWellFormed = parser.parse()
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String] = [:]
  ) {
    if name == "text" { text = ("", Double(attributes["x"] ?? "") ?? 0) }
    guard name == "path", attributes["fill"] == "none", let data = attributes["d"], data.contains("L") else {
      return
    }
    curves.append(
      data.dropFirst().split(separator: "L").compactMap { point in
        let numbers = point.split(separator: " ").compactMap { Double($0) }
        return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
      })
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text?.text += string }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    guard name == "text", let text else { return }
    texts.append(text)
    self.text = nil
  }
}
