// One short file of each kind, made by a reference encoder, with the output of the reference decoder. Made
// once per test run. Test threads.

import Foundation

/// An encoded file and its expected samples.
struct Fixture: Sendable, CustomStringConvertible {
  /// The file's name.
  let name: String
  /// The plugin that must claim it.
  let codec: String
  let bytes: [UInt8]
  let rate: Int
  let channels: Int
  /// Frames of the original.
  let frames: Int
  /// The reference decoder's output, interleaved.
  let reference: [Float]
  /// Maximum difference from the reference.
  let tolerance: Float

  var description: String { name }

  /// Maximum difference between samples after a seek and those decoded from the start.
  var seekTolerance: Float {
    switch codec {
    // Filter banks that add in another order round differently: less than one step of 22 bits.
    case "Opus", "MPEG": 1.0 / 4_194_304
    default: 0
    }
  }
}

enum Fixtures {
  /// ±1 at 16 bits.
  static let oneStep: Float = 1.0 / 32768

  static let all: [Fixture] = {
    do {
      let bench = try Bench()
      defer { bench.remove() }
      return try make(bench)
    } catch {
      fatalError("the fixtures cannot be made: \(error)")
    }
  }()

  static func named(_ name: String) -> Fixture {
    guard let fixture = all.first(where: { $0.name == name }) else { fatalError("no fixture \(name)") }
    return fixture
  }

  /// Tags that each encoder writes in its own format.
  static let title = "Über den Wolken 雲"
  static let artist = "Ärtist"
  static let album = "Ålbum"

  private static func make(_ bench: Bench) throws -> [Fixture] {
    var fixtures: [Fixture] = []
    func add(
      _ name: String, _ codec: String, _ music: Music, _ reference: [Float], tolerance: Float = oneStep
    ) throws {
      fixtures.append(
        Fixture(
          name: name, codec: codec, bytes: try bench.read(name), rate: music.rate,
          channels: music.channels, frames: music.frames, reference: reference, tolerance: tolerance))
    }
    for (suffix, music) in [
      ("", Music(rate: 44100, channels: 2, frames: 100_003)),
      ("-mono", Music(rate: 44100, channels: 1, frames: 70_001)),
      ("-48k", Music(rate: 48000, channels: 2, frames: 96_017)),
    ] {
      let (data, samples) = Storage.int16.encode(music, bigEndian: false, unsigned8: true)
      let wav = "music\(suffix).wav"
      try bench.write(WAVFile(music, .int16, data: data).bytes, wav)
      try add(wav, "PCM", music, samples, tolerance: 0)
      let (bigData, _) = Storage.int16.encode(music, bigEndian: true, unsigned8: false)
      let aiff = "music\(suffix).aiff"
      try bench.write(aiffFile(music, .int16, data: bigData, compression: nil), aiff)
      try add(aiff, "PCM", music, samples, tolerance: 0)

      let flac = "music\(suffix).flac"
      try bench.run(
        "flac", "-s", wav, "-o", flac, "-T", "TITLE=\(title)", "-T", "artist=\(artist)",
        "-T", "ALBUM=\(album)", "-T", "ALBUMARTIST=Various", "-T", "TRACKNUMBER=7/12",
        "-T", "GENRE=Jazz", "-T", "DATE=1959-08-17", "-T", "DISCNUMBER=2/3",
        "-T", "REPLAYGAIN_TRACK_GAIN=-7.03 dB", "-T", "REPLAYGAIN_TRACK_PEAK=0.988",
        "-T", "REPLAYGAIN_ALBUM_GAIN=+1.5 dB", "-T", "REPLAYGAIN_ALBUM_PEAK=1.1")
      try add(flac, "FLAC", music, samples, tolerance: 0)

      let vorbis = "music\(suffix).ogg"
      try bench.run(
        "oggenc", "-Q", wav, "-o", vorbis, "--utf8", "-t", title, "-a", artist, "-l", album, "-N", "7",
        "-G", "Jazz", "-d", "1959-08-17", "-c", "DISCNUMBER=2/3",
        "-c", "REPLAYGAIN_TRACK_GAIN=-7.03 dB", "-c", "REPLAYGAIN_TRACK_PEAK=0.988")
      try bench.run("oggdec", "-Q", "-R", "-b", "16", "-o", "vorbis.raw", vorbis)
      try add(vorbis, "Vorbis", music, try bench.read("vorbis.raw").int16Samples)

      if music.rate == 48000 || music.channels == 1 {
        let opus = "music\(suffix).opus"
        try bench.run(
          "opusenc", "--quiet", "--max-delay", "100", "--title", title, "--artist", artist, "--album", album,
          "--tracknumber", "7", "--genre", "Jazz", "--date", "1959-08-17", "--comment", "DISCNUMBER=2/3",
          "--comment", "R128_TRACK_GAIN=-1024", "--comment", "R128_ALBUM_GAIN=256",
          wav, opus)
        try bench.run(
          "opusdec", "--quiet", "--float", "--no-dither", "--rate", "48000", opus, "opus.wav")
        try bench.run("sox", "opus.wav", "-t", "f32", "opus.raw")
        // opusenc resamples to 48 kHz and keeps the duration, rounded up.
        let frames = Int((Double(music.frames) * 48000 / Double(music.rate)).rounded(.up))
        try add(
          opus, "Opus", Music(rate: 48000, channels: music.channels, frames: frames),
          try bench.read("opus.raw").floatSamples)
      }

      let wavPack = "music\(suffix).wv"
      try bench.run(
        "wavpack", "-q", wav, "-o", wavPack, "-w", "Title=\(title)", "-w", "Artist=\(artist)", "-w",
        "Album=\(album)",
        "-w", "Genre=Jazz", "-w", "Year=1959-08-17", "-w", "Disc=2/3", "-w", "Track=7/12", "-w",
        "Replaygain_Track_Gain=-7.03 dB", "-w", "Replaygain_Track_Peak=0.988")
      try add(wavPack, "WavPack", music, samples, tolerance: 0)

      // Without perceptual noise substitution (PNS), which differs between decoders.
      let m4a = "music\(suffix).m4a"
      try bench.run(
        "ffmpeg", "-v", "error", "-i", wav, "-c:a", "aac", "-aac_pns", "0", "-b:a", "128k",
        "-metadata", "title=\(title)", "-metadata", "artist=\(artist)", "-metadata", "album=\(album)",
        "-metadata", "track=7/12", "-metadata", "genre=Jazz", "-metadata", "date=1959-08-17", "-metadata",
        "disc=2/3", m4a)
      // ffmpeg's decoder uses the milliseconds of the edit list, which are not frame-exact.
      try bench.run("ffmpeg", "-v", "error", "-ignore_editlist", "1", "-i", m4a, "-f", "f32le", "\(m4a).raw")
      let heard = try bench.read("\(m4a).raw").floatSamples[(1024 * music.channels)...]
      try add(m4a, "AAC", music, Array(heard.prefix(music.frames * music.channels)))

      let adts = "music\(suffix).aac"
      try bench.run("ffmpeg", "-v", "error", "-i", m4a, "-c", "copy", adts)
      try bench.run("ffmpeg", "-v", "error", "-i", adts, "-f", "f32le", "\(adts).raw")
      let all = try bench.read("\(adts).raw").floatSamples
      try add(
        adts, "AAC", Music(rate: music.rate, channels: music.channels, frames: all.count / music.channels),
        all)

      let mp3 = "music\(suffix).mp3"
      try bench.run(
        "lame", "--quiet", "-V", "3", "--id3v2-utf16", "--tt", title, "--ta", artist, "--tl", album,
        "--tn", "7/12", "--tg", "Jazz", "--tv", "TDRC=1959-08-17", "--tv", "TPOS=2/3", "--tv",
        "TXXX=replaygain_track_gain=-7.03 dB",
        "--tv", "TXXX=REPLAYGAIN_TRACK_PEAK=0.988", wav, mp3)
      try bench.run("sh", "-c", "mpg123 -q -e f32 -s \(mp3) > mp3.raw")
      try add(mp3, "MPEG", music, try bench.read("mp3.raw").floatSamples)
    }
    return fixtures
  }
}
