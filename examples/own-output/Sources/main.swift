// Plays into a pipe: own-output a.flac b.flac | aplay -f S16_LE -c 2 -r 44100
import Foundation
import SwiftletEngine

Engine.runWorkerIfAsked()

/// Prints to standard error, because standard output is for the music.
func say(_ text: String) { FileHandle.standardError.write(Data("own-output: \(text)\n".utf8)) }

let paths = CommandLine.arguments.dropFirst()
guard let first = paths.first else {
  say("usage: own-output PATH… | aplay -f S16_LE -c 2 -r RATE")
  exit(64)
}

do throws(EngineError) {
  // At the first file's rate, no conversion is needed.
  let rate = try Engine.inspect(first).rate
  let engine = try Engine(output: .custom(PipeOutput(rate: rate)))
  engine.onEvent = { event in
    if case .error(let error) = event.kind { say(error.description) }
  }
  for path in paths { try engine.add(path) }
  try engine.perform(.play)
  engine.run()
} catch {
  say(error.description)
  exit(1)
}
