// `demo-music DIRECTORY`: synthesizes the demo's music as WAV files, which scripts/demo then encodes. The output is
// always the same.

import Foundation

@main
struct DemoMusic {
  static let artist = "The Additive Quartet"

  static func main() throws {
    guard CommandLine.arguments.count == 2 else {
      FileHandle.standardError.write(Data("usage: demo-music DIRECTORY\n".utf8))
      exit(64)
    }
    let directory = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try writeAlbum(to: directory)
    for (number, piece, name) in [
      (4, Piece.lanterns, "4-paper-lanterns"), (5, .tram, "5-night-tram"), (6, .lastLight, "6-last-light"),
    ] {
      let tags = Tags(title: piece.title, artist: artist, album: piece.title, track: number)
      try write(piece.rendered()[...], piece.rate, tags, name, directory)
    }
  }

  /// Writes one piece, whole and cut into three tracks. The cuts are at prime frame numbers, so that no codec block,
  /// bar line or zero crossing coincides with them.
  private static func writeAlbum(to directory: URL) throws {
    let piece = Piece.harbour
    let samples = piece.rendered()
    try write(samples[...], piece.rate, nil, "whole-album", directory)
    let cuts = [0, prime(from: 11 * piece.rate), prime(from: 45 * piece.rate / 2), samples.count / 2]
    let titles = [
      ("Low Tide", "1-low-tide"), ("Morning Boats", "2-morning-boats"), ("Open Water", "3-open-water"),
    ]
    for (index, (title, name)) in titles.enumerated() {
      let tags = Tags(title: title, artist: artist, album: piece.title, track: index + 1)
      let cut = samples[(cuts[index] * 2)..<(cuts[index + 1] * 2)]
      try write(cut, piece.rate, tags, name, directory)
      if index > 0 { print("cut at frame \(cuts[index]), a prime number") }
    }
  }

  private static func write(
    _ samples: ArraySlice<Int16>, _ rate: Int, _ tags: Tags?, _ name: String, _ directory: URL
  ) throws {
    try WAV.file(samples, rate: rate, tags: tags).write(to: directory.appendingPathComponent(name + ".wav"))
  }

  /// The smallest prime that is at least `number`.
  private static func prime(from number: Int) -> Int {
    (number...).first { candidate in
      var divisor = 2
      while divisor * divisor <= candidate {
        if candidate % divisor == 0 { return false }
        divisor += 1
      }
      return true
    }!
  }
}
