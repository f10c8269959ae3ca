// Plays files, folders and playlists on a sound card or into a file, and says what it does.
import Glibc
import SwiftletEngine

// Each track is decoded in a process of its own, which is this program started again.
Engine.runWorkerIfAsked()

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first, arguments.count > 1 else {
  print("usage: embed DEVICE|FILE.wav PATH…   (device: default, null, or one of `aplay -L`)")
  exit(64)
}

do throws(EngineError) {
  let engine = try Engine(output: name.hasSuffix(".wav") ? .file(path: name) : .device(name))
  print(engine.outputSummary)
  engine.onEvent = { event in
    switch event.kind {
    case .began(let track): print("playing", track.name)
    case .state(let state, _): print("now", state)
    case .error(let error): print(error)
    default: break
    }
  }
  for path in arguments.dropFirst() { try engine.add(path) }
  try engine.perform(.crossfade(seconds: 2, .equalPower))
  try engine.perform(.play)
  engine.run()
} catch {
  print(error)
  exit(1)
}
