// What a gesture does: a command, perhaps only in some states. Pure values; control thread.

import Controls
import PlaybackModel

/// A gesture and the command that it gives.
package struct Binding: Hashable, Sendable {
  /// The gesture.
  package let trigger: Trigger
  /// The state it is meant for; nil: all that have no binding of their own.
  package let state: PlayerState.Kind?
  /// The command.
  package let command: Command
  /// The command as it is typed.
  package let commandLine: String

  /// Whether it is for the same gesture in the same state.
  func isSameCase(as other: Binding) -> Bool { trigger == other.trigger && state == other.state }

  /// The line that makes it.
  package var line: String {
    "bind " + trigger.text + (state.map { " when " + BindingState.word(for: $0) } ?? "") + " " + commandLine
  }
}

/// The words for states in bindings: those of `status`, with dashes for capitals.
enum BindingState {
  static let all: [(word: String, kind: PlayerState.Kind)] = PlayerState.Kind.allCases.map {
    (word(for: $0), $0)
  }

  static func word(for kind: PlayerState.Kind) -> String {
    var bytes: [UInt8] = []
    for byte in kind.name.utf8 {
      if byte >= 0x41, byte <= 0x5A {
        bytes += [0x2D, byte + 0x20]
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// All bindings of a box.
package struct BindingTable: Hashable, Sendable {
  /// The most bindings.
  package static let limit = 128

  /// In the order in which they were made.
  package private(set) var bindings: [Binding] = []

  /// None.
  package init() {}

  /// The gestures that somebody bound: what the recognizer has to tell apart.
  package var triggers: Set<Trigger> { Set(bindings.map { $0.trigger }) }

  /// What a gesture does in a state: the binding for that state, or else the one for all.
  package func binding(for trigger: Trigger, in state: PlayerState.Kind) -> Binding? {
    var general: Binding?
    for binding in bindings where binding.trigger == trigger {
      if binding.state == state { return binding }
      if binding.state == nil { general = binding }
    }
    return general
  }

  /// Adds a binding, in place of the one for the same gesture and state. Throws `failed` for one too many.
  package mutating func bind(_ binding: Binding) throws(ConsoleError) {
    if let index = bindings.firstIndex(where: { $0.isSameCase(as: binding) }) {
      bindings[index] = binding
      return
    }
    guard bindings.count < Self.limit else {
      throw ConsoleError(.failed, "there are " + String(Self.limit) + " bindings already; 'unbind' some")
    }
    bindings.append(binding)
  }

  /// Takes the bindings of these controls away, of one gesture or of all. Answers how many there were.
  package mutating func unbind(_ controls: [ControlName], _ gesture: Gesture?) -> Int {
    let wanted = controls.sorted()
    let before = bindings.count
    bindings.removeAll {
      $0.trigger.controls == wanted && (gesture == nil || $0.trigger.gesture == gesture)
    }
    return before - bindings.count
  }
}
