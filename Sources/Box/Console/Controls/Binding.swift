// Bindings of gestures to commands, optionally limited to one player state. Pure values; control thread.

import Controls
import PlaybackModel

/// A gesture and the command it runs.
package struct Binding: Hashable, Sendable {
  /// The gesture with its controls.
  package let trigger: Trigger
  /// The state it applies in; nil for all states without a binding of their own.
  package let state: PlayerState.Kind?
  /// The parsed command.
  package let command: Command
  /// The command's text.
  package let commandLine: String

  /// Whether both bindings are for the same gesture in the same state.
  func isSameCase(as other: Binding) -> Bool { trigger == other.trigger && state == other.state }

  /// The `bind` command line that creates this binding.
  package var line: String {
    "bind " + trigger.text + (state.map { " when " + BindingState.word(for: $0) } ?? "") + " " + commandLine
  }
}

/// The words for player states in bindings: the names of `status` in kebab case.
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
  /// The most bindings a box can have.
  package static let limit = 128

  /// The bindings, in the order of their creation.
  package private(set) var bindings: [Binding] = []

  /// Creates an empty table.
  package init() {}

  /// The bound gestures, which the recognizer has to distinguish.
  package var triggers: Set<Trigger> { Set(bindings.map { $0.trigger }) }

  /// Finds the binding for a gesture in a state: the state's own, or else the one for all states.
  package func binding(for trigger: Trigger, in state: PlayerState.Kind) -> Binding? {
    var general: Binding?
    for binding in bindings where binding.trigger == trigger {
      if binding.state == state { return binding }
      if binding.state == nil { general = binding }
    }
    return general
  }

  /// Adds a binding, replacing one for the same gesture and state.
  ///
  /// - Throws: `failed` if the table is full.
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

  /// Removes the bindings of a set of controls.
  ///
  /// - Parameters:
  ///   - controls: The exact set of controls, in any order.
  ///   - gesture: The gesture whose bindings are removed; nil for all gestures.
  /// - Returns: The number of removed bindings.
  package mutating func unbind(_ controls: [ControlName], _ gesture: Gesture?) -> Int {
    let wanted = controls.sorted()
    let before = bindings.count
    bindings.removeAll {
      $0.trigger.controls == wanted && (gesture == nil || $0.trigger.gesture == gesture)
    }
    return before - bindings.count
  }
}
