// Counts crashes soon after start, to detect a crash loop caused by the restored state. Control thread; the file is in
// /run (memory).

import Platform

/// Counter of crashes soon after start.
final class StartCounter {
  /// How much saved state to restore after repeated crashes.
  enum Caution: Hashable {
    case none
    /// Restore everything, but paused.
    case paused
    /// Restore nothing, and keep the saved state for the next power-on.
    case nothing
  }

  /// Nanoseconds after which a start counts as successful.
  static let longEnough: UInt64 = 60_000_000_000
  private static let pausedFrom = 3
  private static let nothingFrom = 5

  /// Receives problems with the file, for the log.
  var onNote: (String) -> Void = { _ in }

  private let path: String?
  private let files: any FileStore
  private let timer: DeadlineTimer
  /// Number of consecutive crashes before this start.
  private(set) var deaths = 0
  /// How careful to be at this start.
  private(set) var caution = Caution.none
  /// Whether this is the first start since power-on: the file in /run did not exist, or nothing is counted.
  private(set) var isPowerOn = true

  /// Creates a counter.
  ///
  /// - Parameters:
  ///   - path: File in memory, which survives the process but no power cut; nil: do not count.
  ///   - machine: Access to files and timers.
  init(path: String?, on machine: any Machine) {
    self.path = path
    files = machine.files
    timer = DeadlineTimer(machine.scheduler)
  }

  /// Counts this start, and decides how careful to be.
  func begin() {
    guard let path else { return }
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
    caution = deaths >= Self.nothingFrom ? .nothing : deaths >= Self.pausedFrom ? .paused : .none
  }

  /// Log message for a cautious start.
  var warning: String {
    "The box has died \(deaths) times soon after its start. "
      + (caution == .paused
        ? "It waits, paused, for a press of play."
        : "It takes up nothing; what it remembers stays for the next power-on.")
      + " 'swiftlet ctl report' shows what happened."
  }

  /// Resets the count; call at an orderly shutdown.
  func end() {
    timer.stop()
    write(0)
  }

  private func write(_ count: Int) {
    if let path { try? files.replace(path, with: Array(String(count).utf8)) }
  }
}
