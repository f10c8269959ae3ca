// Command-line options of `swiftlet play`, and their help text. A plain value; main thread.

import Console
import Outputs
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// Parsed options.
struct PlayOptions {
  var paths: [String] = []
  var crossfade: Seconds?
  var curve: FadeCurve?
  var quickFinishThreshold: Int?
  var device: String?
  var output: String?
  /// Maximum length of a recording, since a file with a wrong length could fill the disk.
  var longest = Seconds(14_400)
  /// Whether --output and --events may overwrite existing files.
  var mayReplace = false
  var rate: SampleRate?
  var format: SampleFormat?
  var mode = BufferMode.automatic
  var buffer: Seconds?
  var period: Seconds?
  var volume: Float?
  var startAt = Seconds.zero
  var repeats = false
  var shuffles = false
  var isMono = false
  var isStrict = false
  var loudness = Loudness.Mode.off
  var script: String?
  var events: String?
  /// Whether playback ends by itself.
  var hasEnd = true

  /// Help for the keys, also shown by the key `?`.
  static let keys = """
    Keys: space pause/play   n next   p previous   ←/→ 10 s   ↑/↓ volume   m mute
    x fade length   c curve   f finish fade   ? these keys   q quit
    """

  static let help = """
    usage: swiftlet play [options] FILE|FOLDER|PLAYLIST|URL…

    Plays audio files one after another, gaplessly or crossfaded. Plays folders in
    natural order. Playlists are m3u, m3u8, pls, xspf and cue. URLs begin with
    http:// or https://; what a station hands out as a playlist is one station.

      --crossfade SECONDS   fade between tracks, 0 to 15 (default 0: gapless);
                            consecutive tracks of an album are always joined
      --curve NAME          linear, equal-power (default), s-curve, logarithmic,
                            exponential
      --quick-finish-threshold PERCENT
                            a fade paused at or after this point ends within a
                            second when resumed, an earlier one continues (default
                            50; 101: never)
      --start-at TIME       start so many seconds into the first track
      --volume N            0 to 100 (default 100: leaves samples untouched)
      --replaygain MODE     off (default), track, album
      --mono                mix both channels to mono
      --repeat              start over after the last track
      --shuffle             play in random order

      --device NAME         ALSA device (default "default"; `aplay -L` lists them),
                            "snapcast:ADDRESS" for a Snapcast server, or "null"
      --output FILE.wav     record instead, as fast as it goes
      --limit SECONDS       end a recording there (default 14400, four hours; at
                            most 86400, and what fits into a WAV file of 4 GB)
      --force               replace files that --output and --events name
      --rate N              sample rate in Hz (default: the first track's)
      --format NAME         S16, S24, S24_3, S32, FLOAT (default: the widest; S16
                            for WAV)
      --mode NAME           auto (default), deep, shallow: how far ahead to render
      --buffer MS           length of the device's buffer
      --period MS           length of the device's period

      --script FILE         console commands with their times, one per line: `at
                            12.5 pause`, `at 1:30 seek +10` or `at 551250f next`
                            (frames). Playing, volume, fades, repeat, shuffle and
                            ReplayGain; `exit` ends
      --events FILE         write each change of state with its frame, one per line
      --strict              exit at once if the engine contradicts itself

    \(keys)

    Exit status: 0 all played, 1 some tracks could not be played, 2 none could, 3
    no output, 64 wrong usage, 130 ended by Ctrl-C, 141 its output is closed.

    """

  /// The options that correspond to console settings.
  var settings: Settings {
    var settings = Settings()
    func set(_ setting: Setting, _ value: SettingValue) {
      do throws(ConsoleError) {
        try settings.set(setting, to: value)
      } catch {
        preconditionFailure("the option was checked: \(error.sentence)")
      }
    }
    if let crossfade {
      set(.fadeLength, .decimal(crossfade.value))
      set(.fadeManualLength, .decimal(crossfade.value))
    }
    if let curve { set(.fadeCurve, .choice(curve.name)) }
    if let threshold = quickFinishThreshold {
      set(.fadeQuickFinish, threshold > 100 ? .special : .integer(threshold))
    }
    switch loudness {
    case .off: break
    case .track: set(.gainMode, .choice("track"))
    case .album: set(.gainMode, .choice("album"))
    }
    if isMono { set(.outputMono, .isOn(true)) }
    if repeats { set(.queueRepeat, .choice("all")) }
    if shuffles { set(.queueShuffle, .isOn(true)) }
    return settings
  }

  /// Parses the arguments after `play`.
  ///
  /// - Throws: `UsageError` with a message for the user.
  static func parse(_ arguments: [String]) throws(UsageError) -> PlayOptions {
    var options = PlayOptions()
    var words = OptionWords(arguments)
    func number(_ name: String, _ range: ClosedRange<Double>) throws(UsageError) -> Double {
      let text = try words.value()
      guard let number = Decimal.parse(text[...]), range.contains(number) else {
        let bounds =
          Decimal.format(range.lowerBound, decimals: 0) + " to "
          + Decimal.format(range.upperBound, decimals: 0)
        throw UsageError("\(name) \(text): expected a number from \(bounds)")
      }
      return number
    }
    while let argument = try words.next() {
      switch argument {
      case "--crossfade":
        let seconds = try number(argument, 0...15)
        // Round to the precision of the setting.
        options.crossfade = Seconds(Decimal.parse(Decimal.format(seconds, decimals: 3)[...]) ?? seconds)
      case "--curve":
        options.curve = try choice(argument, try words.value(), FadeCurve.allCases) { $0.name }
      case "--quick-finish-threshold": options.quickFinishThreshold = Int(try number(argument, 0...101))
      case "--device": options.device = try words.value()
      case "--output": options.output = try words.value()
      case "--limit": options.longest = Seconds(try number(argument, 1...86_400))
      case "--force": options.mayReplace = true
      case "--rate": options.rate = SampleRate(Int(try number(argument, 8000...384_000)))
      case "--format":
        options.format = try choice(argument, try words.value(), SampleFormat.allCases) { $0.name }
      case "--mode":
        options.mode = try choice(argument, try words.value(), [.automatic, .deep, .shallow]) { mode in
          switch mode {
          case .automatic: "auto"
          case .deep: "deep"
          case .shallow: "shallow"
          }
        }
      case "--buffer": options.buffer = Seconds(try number(argument, 5...2000) / 1000)
      case "--period": options.period = Seconds(try number(argument, 1...1000) / 1000)
      case "--volume": options.volume = Float(try number(argument, 0...100))
      case "--start-at": options.startAt = Seconds(try number(argument, 0...1_000_000))
      case "--replaygain":
        options.loudness = try choice(argument, try words.value(), Loudness.Mode.allCases) { mode in
          switch mode {
          case .off: "off"
          case .track: "track"
          case .album: "album"
          }
        }
      case "--repeat": options.repeats = true
      case "--shuffle": options.shuffles = true
      case "--mono": options.isMono = true
      case "--strict": options.isStrict = true
      case "--script": options.script = try words.value()
      case "--events": options.events = try words.value()
      case "--": options.paths += words.takeRest()
      default:
        guard argument.utf8.first != 0x2D || argument == "-" else {
          throw UsageError("unknown option \(argument)")
        }
        options.paths.append(argument)
      }
    }
    options.hasEnd = !options.repeats
    guard !options.paths.isEmpty else {
      throw UsageError("nothing to play: name a file, folder, playlist or URL")
    }
    return options
  }

  private static func choice<Value>(
    _ option: String, _ text: String, _ values: [Value], name: (Value) -> String
  ) throws(UsageError) -> Value {
    var names = ""
    for value in values {
      if name(value) == text { return value }
      names += (names.utf8.isEmpty ? "" : ", ") + name(value)
    }
    throw UsageError("\(option) \(text): there are \(names)")
  }
}
