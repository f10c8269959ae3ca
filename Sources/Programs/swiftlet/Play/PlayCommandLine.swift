// `swiftlet play`: checks arguments, opens files and output, runs the session. Main thread.

import Console
import Decoding
import Media
import Outputs
import PlaybackModel
import Platform
import SwiftletEngine

/// The subcommand `play`.
enum PlayCommandLine {
  /// Runs the subcommand.
  ///
  /// - Parameter arguments: Arguments after the subcommand.
  /// - Returns: Exit status.
  static func run(_ arguments: [String]) -> Int32 {
    if arguments.contains("--help") || arguments.contains("-h") {
      TextOutput.standardOutput.write(PlayOptions.help)
      return 0
    }
    var options: PlayOptions
    do throws(UsageError) {
      options = try PlayOptions.parse(arguments)
    } catch {
      TextOutput.standardError.line(
        "swiftlet play: \(error.sentence.asSentence) `swiftlet play --help` lists all options.")
      return 64
    }
    do throws(StartFailure) {
      let script = try readScript(options.script)
      if let script { options.hasEnd = script.isBounded(options.settings) }
      if let path = options.output { try checkEnding(of: path) }
      guard options.output == nil || options.hasEnd else {
        throw StartFailure(
          sentence:
            "a recording of what repeats has no end: leave out --repeat, or give a --script that ends with "
            + "'exit' or 'stop'", status: 64)
      }
      let (tracks, isComplete) = try expand(options.paths)
      if let path = options.output { try check(path, of: "--output", options, tracks) }
      if let path = options.events { try check(path, of: "--events", options, tracks) }
      try checkDistinct(options)
      let status = try play(options, tracks: tracks, script: script)
      return status == 0 && !isComplete ? 1 : status
    } catch {
      TextOutput.standardError.line("swiftlet play: \(error.sentence)")
      return error.status
    }
  }

  private struct StartFailure: Error {
    let sentence: String
    let status: Int32
  }

  private static func play(
    _ options: PlayOptions, tracks: [Track], script: Script?
  ) throws(StartFailure) -> Int32 {
    // This may wait for a network server, so install the signal handlers only afterwards: until then Ctrl-C ends the
    // program at once.
    let early = OutputChoice.startEarly(tracks.first?.path, options)
    let signals: PlaySignals
    do throws(SystemError) {
      signals = try PlaySignals()
    } catch {
      throw StartFailure(sentence: error.description, status: 70)
    }
    let output: OutputChoice
    do throws(OutputError) {
      output = try OutputChoice.open(options, early)
    } catch {
      throw StartFailure(sentence: error.description, status: 3)
    }
    do throws(SystemError) {
      return try PlaySession(options, tracks: tracks, output: output, script: script, signals: signals).run()
    } catch {
      throw StartFailure(sentence: error.description, status: 70)
    }
  }

  /// Refuses a recording whose file name extension suggests another audio format.
  private static func checkEnding(of path: String) throws(StartFailure) {
    guard MediaList.isPlayable(path), !["wav", "wave"].contains(MediaList.fileExtension(of: path)) else {
      return
    }
    throw StartFailure(
      sentence: "--output \(path): recordings are WAV files; name it with .wav at its end", status: 64)
  }

  /// Refuses to overwrite an input file, or any existing file without --force.
  private static func check(
    _ path: String, of option: String, _ options: PlayOptions, _ tracks: [Track]
  ) throws(StartFailure) {
    guard let target = try? FileStatus.of(path), target.isRegular else { return }
    for source in tracks.map({ $0.path }) + options.paths + (options.script.map { [$0] } ?? []) {
      guard let status = try? FileStatus.of(source), status.identity == target.identity else { continue }
      throw StartFailure(
        sentence: "\(option) \(path): it would replace \(source), which is to be played or read; "
          + "name another file", status: 64)
    }
    guard options.mayReplace else {
      throw StartFailure(
        sentence:
          "\(option) \(path): the file is there already; name another one, or replace it with --force",
        status: 64)
    }
  }

  /// Refuses one file for both events and recording, also through links. The recording is first written to a temporary
  /// file next to it.
  private static func checkDistinct(_ options: PlayOptions) throws(StartFailure) {
    guard let output = options.output, let events = options.events else { return }
    let recording = AtomicFile.destination(of: output)
    let log = AtomicFile.destination(of: events)
    var isSame = log == recording || log == recording + WAVFile.partialEnding
    if let one = try? FileStatus.of(output), let other = try? FileStatus.of(events), one.isRegular {
      isSame = isSame || one.identity == other.identity
    }
    guard isSame else { return }
    throw StartFailure(
      sentence: "--output \(output) and --events \(events) are one file; name two", status: 64)
  }

  private static func readScript(_ path: String?) throws(StartFailure) -> Script? {
    guard let path else { return nil }
    let text: String
    do throws(SystemError) {
      text = try TextFile.read(path, limit: 1 << 20, mayBePipe: true)
    } catch {
      throw StartFailure(sentence: error.description, status: 64)
    }
    do throws(ConsoleError) {
      return try Script(text, accepts: PlayCommands.accepts)
    } catch {
      throw StartFailure(sentence: "\(path): \(error.sentence)", status: 64)
    }
  }

  /// Expands paths to tracks.
  ///
  /// - Returns: The tracks, and whether all entries of playlists were found.
  private static func expand(_ paths: [String]) throws(StartFailure) -> (tracks: [Track], isComplete: Bool) {
    var tracks: [Track] = []
    var isComplete = true
    for path in paths {
      do throws(PlaybackError) {
        let found = try MediaList.expand(path)
        tracks += found.tracks
        if let note = found.note {
          TextOutput.standardError.line("swiftlet play: \(note)")
          isComplete = false
        }
      } catch {
        TextOutput.standardError.line("swiftlet play: \(error.sentence) \(error.remedy)")
      }
    }
    guard !tracks.isEmpty else {
      throw StartFailure(sentence: "there is nothing to play in these paths", status: 2)
    }
    return (tracks, isComplete)
  }
}
