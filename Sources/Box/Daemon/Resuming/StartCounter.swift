// How often the box has died soon after its start, one time after another: what it takes up may be what kills it. Control thread;
// the file is in memory.

import Platform

/// Counts the starts that came to nothing.
final class StartCounter {
  /// What to take up after so many quick deaths.
  enum Caution: Hashable {
    case none
    /// Everything, but paused.
    case paused
    /// Nothing; what is remembered stays as it is.
    case nothing
  }

  /// Nanoseconds after which a start counts as one that went well.
  static let longEnough: UInt64 = 60_000_000_000
  private static let pausedFrom = 3
  private static let nothingFrom = 5

  /// Told of what keeps the file from being read or written, for the log.
  var onNote: (String) -> Void = { _ in }

  private let path: String?
  private let files: any FileStore
  private let timer: DeadlineTimer
  /// The quick deaths before this start.
  private(set) var deaths = 0
  /// Whether this is the first start since the power came: there was no file, which power does not outlive, or there never is.
  private(set) var isPowerOn = true

  /// A counter in a file that outlives the process, but no power cut; nil: nothing is counted.
  init(path: String?, on machine: any Machine) {
    self.path = path
    files = machine.files
    timer = DeadlineTimer(machine.scheduler)
  }

  /// Counts this start, and says how careful to be.
  func begin() -> Caution {
    guard let path else { return .none }
    var bytes: [UInt8]?
    do throws(SystemError) {
      bytes = try files.read(path, limit: 16)
    } catch {
      if error.code != SystemError.noSuchFile { onNote("Starts are not counted: \(error.description).") }
    }
    isPowerOn = bytes == nil
    let text = bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    deaths = Int(text) ?? 0
    write(deaths + 1)
    timer.start(after: Self.longEnough) { [unowned(unsafe) self] in write(0) }
    return deaths >= Self.nothingFrom ? .nothing : deaths >= Self.pausedFrom ? .paused : .none
  }

  /// What a person should know of a start that is careful.
  func warning(_ caution: Caution) -> String {
    "The box has died \(deaths) times soon after its start. "
      + (caution == .paused
        ? "It waits, paused, for a press of play."
        : "It takes up nothing; what it remembers stays for the next power-on.")
      + " 'swiftlet ctl report' shows what happened."
  }

  /// The box ends because it was told to.
  func end() {
    timer.stop()
    write(0)
  }

  private func write(_ count: Int) {
    if let path { try? files.replace(path, with: Array(String(count).utf8)) }
  }
}
