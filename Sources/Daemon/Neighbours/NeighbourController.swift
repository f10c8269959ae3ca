// The servers of other protocols that the settings want: started, watched, and started again when they have ended. Control thread;
// never waits.

import Console
import Neighbours
import Platform

/// Keeps the box's MPD server running while `mpd.listen` names an address.
final class NeighbourController {
  /// The control socket that neighbours give their commands on; nil: there is none.
  var socket: () -> String? = { nil }

  private let configuration: ConfigurationStore
  private let machine: any Machine
  private let log: Log
  private let retry: DeadlineTimer
  private var backOff = BackOff(first: 1_000_000_000, longest: 60_000_000_000)
  private var process: (any NeighbourProcess)?
  private var watch: DescriptorWatch?
  /// What it was started with, or would be.
  private var order: NeighbourOrder?
  private var startedAt: UInt64 = 0
  /// Why it does not run, though it should.
  private var trouble: String?
  private var isOpen = false
  private var subscription: EventSubscription?

  init(_ configuration: ConfigurationStore, on machine: any Machine, feed: EventFeed, log: Log) {
    self.configuration = configuration
    self.machine = machine
    self.log = log
    retry = DeadlineTimer(machine.scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .setting(.mpdListen?, _), .setting(.mpdPassword?, _), .setting(nil, _): adopt()
      default: break
      }
    }
  }

  /// Begins, when the control socket is there.
  func open() {
    isOpen = true
    adopt()
  }

  /// Ends them; none is started any more.
  func end() {
    isOpen = false
    stop()
  }

  /// What `status` says; nil where none is wanted.
  var statusText: String? {
    guard let order else { return nil }
    guard let trouble else { return "listens at " + order.address.text }
    return trouble + (retry.deadline.map { "; trying again in \(seconds(until: $0)) s" } ?? "")
  }

  private func seconds(until due: UInt64) -> Int {
    let now = machine.scheduler.now
    return due > now ? Int((due - now + 999_999_999) / 1_000_000_000) : 0
  }

  /// What the settings want; nil: nothing.
  private var wanted: NeighbourOrder? {
    guard isOpen, let address = configuration.settings.mpdAddress else { return nil }
    return NeighbourOrder(
      name: "mpd", address: address, password: configuration.settings.mpdPassword, socket: socket() ?? "")
  }

  private func adopt() {
    let wanted = wanted
    guard wanted != order else { return }
    stop()
    order = wanted
    backOff.reset()
    start()
  }

  private func stop() {
    retry.stop()
    watch = nil
    process = nil
    order = nil
    trouble = nil
  }

  private func start() {
    guard let order else { return }
    guard !order.socket.utf8.isEmpty else {
      trouble = "the box has no control socket (socket.path)"
      return log.write(.error, "The MPD server is not started: \(trouble ?? "").")
    }
    do throws(SystemError) {
      let started = try machine.startNeighbour(order)
      watch = try DescriptorWatch(machine.scheduler, readable: started.descriptor) {
        [unowned(unsafe) self] in didEnd()
      }
      process = started
    } catch {
      return tryAgain(error.description)
    }
    trouble = nil
    startedAt = machine.scheduler.now
    let isOpenToAll = order.password == nil && !order.address.isLoopback
    log.write(
      isOpenToAll ? .warning : .info,
      "The MPD server listens at \(order.address.text)."
        + (isOpenToAll ? " Whoever reaches it may use the box; 'set mpd.password' asks for a password." : ""))
  }

  private func didEnd() {
    guard let reason = process?.ending() else { return }
    watch = nil
    process = nil
    // One that has run for a while has not ended for what it was started with.
    if machine.scheduler.now - startedAt >= Self.steadyNanoseconds { backOff.reset() }
    tryAgain(reason)
  }

  private static let steadyNanoseconds: UInt64 = 30_000_000_000

  private func tryAgain(_ reason: String) {
    trouble = "the MPD server does not run: " + reason
    let wait = backOff.next(at: machine.scheduler.now)
    log.write(
      .error,
      "The MPD server does not run: \(reason). Trying again in \((wait + 999_999_999) / 1_000_000_000) s.")
    retry.start(after: wait) { [unowned(unsafe) self] in start() }
  }
}
