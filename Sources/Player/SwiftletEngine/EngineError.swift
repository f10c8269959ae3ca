// The error type of the engine: a kind for programs, sentences for users. Values; any thread.

import Console
import Outputs
import PlaybackModel
import Platform

/// The reason why a call failed or a track cannot be played.
///
/// ```swift
/// do {
///   try engine.add("Music/Album")
/// } catch {
///   print(error.sentence, error.remedy)
/// }
/// ```
public struct EngineError: Error, Hashable, Sendable {
  /// The category of an error.
  public enum Kind: Hashable, Sendable {
    /// The program does not call ``Engine/runWorkerIfAsked()`` first, and ``EngineOptions/worker`` names no other
    /// worker program.
    case noWorker
    /// The output is not available: another program uses it, or it is not connected.
    case outputUnavailable
    /// The output does not support the requested rate or format, or an ``AudioOutput`` has invalid properties.
    case outputRefused
    /// A file, folder or playlist cannot be read or played.
    case media
    /// The queue is full.
    case queueFull
    /// The command is malformed, or meaningless in the present state.
    case command
    /// ``Engine/end()`` was called before.
    case ended
    /// The system has no memory, descriptors or processes left.
    case system
  }

  /// The category of the error.
  public let kind: Kind
  /// What failed and where: one sentence for the user.
  public let sentence: String
  /// What to do about it: one sentence; empty if ``sentence`` says it.
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
  /// The sentence followed by the remedy.
  public var description: String { remedy.utf8.isEmpty ? sentence : sentence + " " + remedy }
}
