// `swiftlet play`: from arguments to an exit status. Main thread.

import Console
import Decoding
import Media
import Outputs
import PlaybackModel
import Platform
import SwiftletEngine

/// The subcommand `play`.
enum PlayCommandLine {
  /// Runs it on what follows the subcommand; the result is the exit status.
  static func run(_ arguments: [String]) -> Int32 {
    if arguments.contains("--help") || arguments.contains("-h") {
      TextOutput.standardOutput.write(PlayOptions.help)
      return 0
    }
    let options: PlayOptions
    do throws(UsageError) {
      options = try PlayOptions.parse(arguments)
    } catch {
      TextOutput.standardError.line(
        "swiftlet play: \(error.sentence). `swiftlet play --help` lists all options.")
      return 64
    }
    do throws(StartFailure) {
      let script = try readScript(options.script)
      let tracks = try expand(options.paths)
      if let path = options.output { try checkRecording(path, of: tracks) }
      return try play(options, tracks: tracks, script: script)
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
    let output: OutputChoice
    do throws(OutputError) {
      output = try OutputChoice.open(options, firstTrack: tracks.first?.path)
    } catch {
      throw StartFailure(sentence: error.description, status: 3)
    }
    do throws(SystemError) {
      return try PlaySession(options, tracks: tracks, output: output, script: script).run()
    } catch {
      throw StartFailure(sentence: error.description, status: 70)
    }
  }

  /// A recording replaces its file: not one that it is made from, and none whose name promises another format.
  private static func checkRecording(_ path: String, of tracks: [Track]) throws(StartFailure) {
    if MediaList.isPlayable(path), !["wav", "wave"].contains(MediaList.fileExtension(of: path)) {
      throw StartFailure(
        sentence: "--output \(path): recordings are WAV files; name it with .wav at its end", status: 64)
    }
    guard let target = try? FileStatus.of(path), target.isRegular else { return }
    for track in tracks {
      guard let source = try? FileStatus.of(track.path), source.device == target.device,
        source.file == target.file
      else {
        continue
      }
      throw StartFailure(
        sentence: "--output \(path): the recording would replace \(track.path), which is to be played; "
          + "name another file", status: 64)
    }
  }

  private static func readScript(_ path: String?) throws(StartFailure) -> Script? {
    guard let path else { return nil }
    let text: String
    do throws(SystemError) {
      text = try TextFile.read(path, limit: 1 << 20)
    } catch {
      throw StartFailure(sentence: error.description, status: 64)
    }
    do throws(ConsoleError) {
      return try Script(text, accepts: PlayCommands.accepts)
    } catch {
      throw StartFailure(sentence: "\(path): \(error.sentence)", status: 64)
    }
  }

  private static func expand(_ paths: [String]) throws(StartFailure) -> [Track] {
    var tracks: [Track] = []
    for path in paths {
      do throws(PlaybackError) {
        tracks += try MediaList.expand(path)
      } catch {
        TextOutput.standardError.line("swiftlet play: \(error.sentence) \(error.remedy)")
      }
    }
    guard !tracks.isEmpty else {
      throw StartFailure(sentence: "there is nothing to play in these paths", status: 2)
    }
    return tracks
  }
}
