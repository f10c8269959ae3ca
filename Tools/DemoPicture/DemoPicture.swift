// `DemoPicture RECORDING EVENTS PICTURE.svg`: draws a recording made by `swiftlet play --output FILE.wav --events
// FILE`.

import Foundation

@main
struct DemoPicture {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 else { give("usage: DemoPicture RECORDING.wav EVENTS.txt PICTURE.svg", 64) }
    do {
      let recording = try Recording(arguments[1])
      let story = try Story(arguments[2], rate: recording.rate, frames: recording.frames)
      var picture = Picture(recording, story)
      try picture.drawn().write(toFile: arguments[3], atomically: true, encoding: .utf8)
      tell(story)
    } catch let complaint as Complaint {
      give("DemoPicture: \(complaint.sentence)", 1)
    } catch {
      give("DemoPicture: \(arguments[3]) cannot be written: \(error.localizedDescription)", 1)
    }
  }

  /// Prints what the events show about pauses during fades.
  private static func tell(_ story: Story) {
    for (index, stretch) in story.stretches.enumerated() {
      guard index > 0, stretch.state == "crossfadePaused", let fade = stretch.fade,
        story.stretches[index - 1].state == "crossfadePaused",
        let resumed = story.stretches[(index + 1)...].first, let going = resumed.fade
      else { continue }
      print(
        "   \(stretch.track) → \(stretch.next ?? ""): stood still on frame \(fade.from) of the fade's "
          + "\(fade.length), resumed on frame \(going.from), over after \(resumed.end - resumed.start) more")
    }
  }

  private static func give(_ text: String, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(status)
  }
}
