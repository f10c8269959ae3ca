// What goes wrong with an engine, in words for a person and in kinds for a program. Values; any thread.

import Console
import Outputs
import PlaybackModel
import Platform

/// Why an engine could not do what it was asked for, or why a track is not played.
public struct EngineError: Error, Hashable, Sendable {
  /// What kind of thing went wrong.
  public enum Kind: Hashable, Sendable {
    /// The program does not call ``Engine/runWorkerIfAsked()`` at its beginning, and names no other program for the decoders.
    case noWorker
    /// The output is not there: another program has it, or it is not plugged in.
    case outputUnavailable
    /// The output does not take what was asked of it, or an ``AudioOutput`` contradicts itself.
    case outputRefused
    /// A file, folder or playlist cannot be read or played.
    case media
    /// The queue is full.
    case queueFull
    /// The command is misspelt, or means nothing in the present state.
    case command
    /// ``Engine/end()`` was called before.
    case ended
    /// The system has no memory, descriptors or processes left.
    case system
  }

  /// What kind of thing went wrong.
  public let kind: Kind
  /// What happened and where, a sentence for a person.
  public let sentence: String
  /// What can be done about it, a sentence; empty where `sentence` says it.
  public let remedy: String

  init(_ kind: Kind, _ sentence: String, remedy: String = "") {
    self.kind = kind
    self.sentence = sentence
    self.remedy = remedy
  }

  init(_ error: PlaybackError) {
    self.init(
      error.kind == .outputUnavailable ? .outputUnavailable : .media, error.sentence, remedy: error.remedy)
  }

  init(_ error: OutputError) {
    self.init(error.isUnavailable ? .outputUnavailable : .outputRefused, error.description + ".")
  }

  init(_ error: SystemError) { self.init(.system, error.description + ".") }

  init(_ error: ConsoleError) { self.init(.command, error.sentence) }
}

extension EngineError: CustomStringConvertible {
  /// `sentence` and `remedy`.
  public var description: String { remedy.utf8.isEmpty ? sentence : sentence + " " + remedy }
}
