// `swiftlet probe FILE…`: prints format and tags of files, which a sandboxed worker reads. Main thread.

import Decoding
import Platform

/// The subcommand `probe FILE…`.
enum ProbeCommand {
  static let help = """
    swiftlet probe FILE…
      Shows what files are: format, codec, sample rate, length, tags, loudness
      and chapters.
      A sandboxed process reads them. 'swiftlet codecs' lists what can be read.

    """

  /// Runs the subcommand.
  ///
  /// - Parameter arguments: Arguments after the subcommand.
  /// - Returns: Exit status.
  static func run(_ arguments: [String]) -> Int32 {
    guard !HelpCommand.isAsked(arguments) else {
      HelpCommand.show("probe")
      return 0
    }
    guard !arguments.isEmpty else {
      TextOutput.standardError.write("swiftlet probe: a file is missing.\n" + help)
      return 64
    }
    var status: Int32 = 0
    for path in arguments {
      do throws(WorkerFailure) {
        let info = try Inspection.probe(path)
        TextOutput.standardOutput.line(path)
        for (label, value) in rows(info) { TextOutput.standardOutput.line("  \(label)  \(value)") }
      } catch {
        TextOutput.standardError.line("swiftlet probe: \(path): \(error.sentence)")
        status = 1
      }
    }
    return status
  }

  private static func rows(_ info: StreamInfo) -> [(String, String)] {
    var sample = "lossy"
    if info.bits > 0 { sample = "\(info.bits) bits\(info.isFloat ? ", floating point" : "")" }
    var rows: [(String, String)] = [
      ("format  ", info.format),
      ("codec   ", info.codec),
      ("samples ", "\(info.sourceRate) Hz, \(channels(info.channels)), \(sample)"),
      ("length  ", length(info)),
      ("seeking ", info.canSeek ? "direct" : "by decoding"),
    ]
    if !info.tags.title.isEmpty { rows.append(("title   ", info.tags.title)) }
    if !info.tags.artist.isEmpty { rows.append(("artist  ", info.tags.artist)) }
    if !info.tags.album.isEmpty { rows.append(("album   ", info.tags.album)) }
    if !info.tags.albumArtist.isEmpty { rows.append(("by      ", info.tags.albumArtist)) }
    if let number = info.tags.trackNumber { rows.append(("track   ", "\(number)")) }
    if let number = info.tags.discNumber { rows.append(("disc    ", "\(number)")) }
    if !info.tags.date.isEmpty { rows.append(("date    ", info.tags.date)) }
    if !info.tags.genre.isEmpty { rows.append(("genre   ", info.tags.genre)) }
    if let gain = info.loudness.trackGain {
      rows.append(("track   ", loudness(gain, info.loudness.trackPeak)))
    }
    if let gain = info.loudness.albumGain {
      rows.append(("album   ", loudness(gain, info.loudness.albumPeak)))
    }
    for (i, chapter) in info.chapters.enumerated() {
      let title = chapter.title.isEmpty ? "" : "  \(chapter.title)"
      rows.append(("chapter ", "\(i + 1)  \(clock(chapter.start))\(title)"))
    }
    if !info.isSandboxed { rows.append(("sandbox ", "none: the kernel has no seccomp filters")) }
    return rows
  }

  private static func channels(_ count: Int) -> String {
    switch count {
    case 1: "mono"
    case 2: "stereo"
    default: "\(count) channels"
    }
  }

  private static func length(_ info: StreamInfo) -> String {
    guard let frames = info.sourceFrames else { return "unknown until decoded" }
    let milliseconds = (frames * 1000 + Int64(info.sourceRate) / 2) / Int64(info.sourceRate)
    return "\(clock(milliseconds)) (\(frames) frames)"
  }

  /// Formats a time as minutes, seconds and milliseconds.
  private static func clock(_ milliseconds: Int64) -> String {
    let (minutes, seconds) = (milliseconds / 60_000, milliseconds / 1000 % 60)
    return "\(minutes):\(padded(seconds, 2)).\(padded(milliseconds % 1000, 3))"
  }

  private static func loudness(_ gain: Float, _ peak: Float?) -> String {
    "gain \(decimal(gain)) dB\(peak.map { ", peak \(decimal($0))" } ?? "")"
  }

  /// Formats a number with two decimals.
  private static func decimal(_ value: Float) -> String {
    let hundredths = Int64((value * 100).rounded())
    let magnitude = hundredths.magnitude
    return "\(hundredths < 0 ? "-" : "")\(magnitude / 100).\(padded(Int64(magnitude % 100), 2))"
  }

  private static func padded(_ value: Int64, _ digits: Int) -> String {
    var text = "\(value)"
    while text.utf8.count < digits { text = "0" + text }
    return text
  }
}
