// Plays into a pipe: own-output a.flac b.flac | aplay -f S16_LE -c 2 -r 44100
import Glibc
import SwiftletEngine

Engine.runWorkerIfAsked()

do throws(EngineError) {
  let paths = CommandLine.arguments.dropFirst()
  guard let first = paths.first else { fatalError("usage: own-output PATH… | aplay -f S16_LE -c 2 -r RATE") }
  // At the first file's rate nothing has to be converted.
  let rate = try Engine.inspect(first).rate
  let engine = try Engine(output: .custom(PipeOutput(rate: rate)))
  engine.onEvent = { event in
    if case .error(let error) = event.kind { fputs("own-output: \(error)\n", stderr) }
  }
  for path in paths { try engine.add(path) }
  try engine.perform(.play)
  engine.run()
} catch {
  fatalError(error.description)
}
