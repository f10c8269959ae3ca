// Plays files, folders and playlists on a sound card or into a file, and prints state changes.
import Glibc
import SwiftletEngine

// Each track is decoded in a separate process, which is this program started again.
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
  // Starts with a call for the present state, so that a display needs no separate query.
  let watch = engine.watchTransitions { [unowned engine] transition in
    let cause = transition.event.map { " after " + $0.name } ?? ""
    let isPausable = engine.canPerform(.pause) && transition.to.isActive
    print("  " + transition.to.text + cause + (isPausable ? " (can be paused)" : ""))
  }
  for path in arguments.dropFirst() { try engine.add(path) }
  try engine.perform(.crossfade(seconds: 2, .equalPower))
  try engine.perform(.play)
  engine.run()
  watch.end()
  // The history, by the wall clock; here only rejected requests.
  for entry in engine.history {
    if case .rejected(let reason) = entry.outcome { print(entry.wallClock, reason) }
  }
} catch {
  print(error)
  exit(1)
}
