// The sandboxed process that extracts pictures, on files made with Debian's tools. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct PictureTests {
  /// The output of the process, with bars in place of NULs.
  private func ask(_ bench: Workbench, _ source: String, _ name: String, in folder: String = "") throws
    -> String
  {
    let outcome = try bench.start(["picture", "\(getpid())", source, name, bench.path(folder)]).wait(
      seconds: 60)
    #expect(!outcome.isCrash && outcome.status == 0, "\(outcome)")
    return outcome.output.replacingOccurrences(of: "\0", with: "|")
  }

  /// One-pixel pictures that consist of printable bytes.
  private static let gif = Data(
    Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0] + Array(",".utf8) + [0, 0, 0, 0, 1, 0, 1, 0, 0]
      + [2, 2, 0x44, 1, 0, 0x3B])
  private static let bmp = Data(
    Array("BM".utf8) + [
      58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0,
    ]
      + [UInt8](repeating: 0, count: 24) + [1, 2, 3, 0])

  @Test func picturesAreFoundInFilesOfGenuineTools() throws {
    let bench = try Workbench()
    let wav = try bench.write(Sound.piece(seconds: 0.5), as: "a.wav")
    let gif = try bench.write(Self.gif, as: "x.gif")
    let bmp = try bench.write(Self.bmp, as: "x.bmp")
    try bench.tool("flac", "-s", "--picture=\(gif)", wav, "-o", "a.flac")
    try bench.tool("flac", "-s", "--ogg", "--picture=\(gif)", wav, "-o", "a.oga")
    try bench.tool("opusenc", "--quiet", "--picture", gif, wav, "a.opus")
    let covered = ["-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v:0", "attached_pic"]
    for (name, codec) in [("a.mp3", "libmp3lame"), ("a.m4a", "aac"), ("a.aiff", "pcm_s16be")] {
      let more = name == "a.aiff" ? ["-write_id3v2", "1"] : []
      let process = try Child(
        URL(fileURLWithPath: "/usr/bin/ffmpeg"),
        ["-v", "error", "-i", wav, "-i", bmp] + covered + ["-c:a", codec] + more + [name], in: bench.directory
      )
      #expect(process.wait(seconds: 60).status == 0)
    }
    for name in ["a.flac", "a.oga", "a.opus"] {
      let answer = try ask(bench, "track", name)
      #expect(answer.hasPrefix("picture|track|\(Self.gif.count)|GIF89a"), "\(name): \(answer)")
    }
    for name in ["a.mp3", "a.m4a", "a.aiff"] {
      let answer = try ask(bench, "track", name)
      #expect(answer.hasPrefix("picture|track|\(Self.bmp.count)|BM"), "\(name): \(answer)")
    }
    #expect(try ask(bench, "track", "a.wav") == "none|")
  }

  @Test func filesBesideTheTrackCountAfterItsOwnPicture() throws {
    let bench = try Workbench()
    let wav = try bench.write(Sound.piece(seconds: 0.2), as: "a.wav")
    try bench.tool("flac", "-s", wav, "-o", "plain.flac")
    #expect(try ask(bench, "any", "plain.flac") == "none|")
    try bench.write(Data("BM beside".utf8), as: "Folder.JPG")
    try bench.tool("flac", "-s", "--picture=\(bench.write(Self.gif, as: "x.gif"))", wav, "-o", "a.flac")
    #expect(try ask(bench, "any", "a.flac").hasPrefix("picture|track|"))
    for name in ["a.flac", "."] { #expect(try ask(bench, "folder", name) == "picture|folder|9|BM beside") }
    #expect(try ask(bench, "any", "plain.flac") == "picture|folder|9|BM beside")
    #expect(try ask(bench, "track", "plain.flac") == "none|")
    #expect(try ask(bench, "any", "elsewhere.flac") == "missing|")
    try bench.write(Data(repeating: 1, count: 9 << 20), as: "cover.jpg")
    #expect(try ask(bench, "folder", "a.flac") == "refused|it has more than 8 MiB|")
  }

  /// Neither a path nor a link leads out of the music folder, and a FIFO does not block the process.
  @Test func nothingOutsideIsShown() throws {
    let bench = try Workbench()
    try FileManager.default.createDirectory(atPath: bench.path("music"), withIntermediateDirectories: true)
    try bench.write(Data("BM secret".utf8), as: "cover.jpg")
    try bench.write(Sound.piece(seconds: 0.1), as: "music/1.wav")
    #expect(try ask(bench, "any", "../cover.jpg", in: "music") == "missing|")
    try FileManager.default.createSymbolicLink(
      atPath: bench.path("music/cover.jpg"), withDestinationPath: bench.path("cover.jpg"))
    #expect(mkfifo(bench.path("music/cover.png"), 0o600) == 0)
    #expect(try ask(bench, "any", "1.wav", in: "music") == "none|")
  }
}
