// A PN532 tag reader, read by a separate process through libnfc. Control thread; never blocks.

import Platform
import PlaybackModel

/// One PN532. Starts its process, and restarts it after it has ended, sent invalid data or stopped sending.
final class NFCReaderInput: InputUnit {
  /// The most changes per second; users cannot move tags faster.
  private static let maxChanges = 10
  private static let changesNanoseconds: UInt64 = 1_000_000_000

  private let name: ControlName
  private let connection: NFCConnection
  private let devices: any ControlDevices
  private let scheduler: any Scheduler
  private let context: UnitContext
  private let silence: DeadlineTimer
  private var source: (any ByteSource)?
  private var watch: DescriptorWatch?
  private var reader = ReaderReportReader()
  private var exitReason: String?
  private var changes = 0
  private var changesBegan: UInt64 = 0
  private var problem: Problem?

  init(
    _ name: ControlName, _ connection: NFCConnection, devices: any ControlDevices, scheduler: any Scheduler,
    context: UnitContext
  ) {
    self.name = name
    self.connection = connection
    self.devices = devices
    self.scheduler = scheduler
    self.context = context
    silence = DeadlineTimer(scheduler)
  }

  /// The last failure, until the process reports again.
  var problems: [Problem] { problem.map { [$0] } ?? [] }
  var wants: DeviceKinds { source == nil ? .chipsAndLines : [] }

  func open() {
    guard source == nil else { return }
    reader = ReaderReportReader()
    exitReason = nil
    changes = 0
    do throws(SystemError) {
      let started = try devices.startReader(connection)
      watch = try DescriptorWatch(scheduler, readable: started.descriptor) { [unowned(unsafe) self] in
        _ = read()
      }
      source = started
    } catch {
      return note("its process cannot be started: " + error.reason)
    }
    awaitWord()
  }

  func end() {
    silence.stop()
    watch = nil
    source = nil
  }

  private func note(_ reason: String) {
    problem = Problem(subject: "reader " + name.text, reason: reason + "; trying again")
  }

  private func fail(_ reason: String) {
    end()
    note(reason)
    context.onLoss()
  }

  private func awaitWord() {
    silence.start(after: ReaderReport.maxSilence) { [unowned(unsafe) self] in
      // The daemon itself may have been suspended: check for pending data first.
      guard !read() else { return }
      fail("its process says nothing any more")
    }
  }

  /// Reads and handles the process's output.
  ///
  /// - Returns: False if there was none.
  private func read() -> Bool {
    guard let source else { return true }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try source.takeBytes()
    } catch {
      fail(exitReason ?? "its process has ended")
      return true
    }
    guard !bytes.isEmpty else { return false }
    guard let reports = reader.take(bytes) else {
      fail("its process says what no reader says")
      return true
    }
    awaitWord()
    for report in reports where self.source != nil { take(report) }
    return true
  }

  private func take(_ report: ReaderReport) {
    switch report {
    case .exitReason(let text):
      exitReason = text
      return
    case .beat: break
    case .absent: change(to: .empty)
    case .present(let tag): change(to: .tag(tag))
    }
    guard source != nil, problem != nil else { return }
    problem = nil
    context.onReturn()
  }

  private func change(to field: ReaderField) {
    let former = context.fields[name]
    guard field != former else { return }
    guard isUnhurried else { return fail("it reports more tags than fit on a reader") }
    context.fields[name] = field
    if case .tag = former { context.onTag(.lifted(from: name)) }
    guard case .tag(let tag) = field else { return }
    context.onTag(former == nil ? .lying(tag, on: name) : .placed(tag, on: name))
  }

  private var isUnhurried: Bool {
    let now = scheduler.now
    if now - changesBegan >= Self.changesNanoseconds {
      changesBegan = now
      changes = 0
    }
    changes += 1
    return changes <= Self.maxChanges
  }
}
