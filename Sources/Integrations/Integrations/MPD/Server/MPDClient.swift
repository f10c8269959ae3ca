// One MPD client's connection: parses lines, executes commands in order, sends responses. Single thread; never
// blocks; bounded buffers.

import Platform

/// A client of the server. Executes one command per turn; `RoundRobin` alternates between clients.
final class MPDClient: RoundRobinTask {
  /// Maximum bytes of a line.
  static let maxLineLength = 16 * 1024
  /// Maximum bytes of a command list.
  static let maxList = 512 * 1024
  /// Idle timeout in nanoseconds, after which a silent client is disconnected.
  static let idleNanoseconds: UInt64 = 60_000_000_000

  private let channel: any ByteChannel
  private let scheduler: any Scheduler
  private let box: MPDBox
  unowned(unsafe) let owner: any MPDClientOwner
  private var watch: DescriptorWatch?
  private var room: DescriptorWatch?
  private let silence: DeadlineTimer
  private unowned(unsafe) let turns: RoundRobin
  let login: DeadlineTimer
  var session: MPDSession
  private var input: [UInt8] = []
  private var unsent: [UInt8] = []
  private var list = MPDCommandList()
  var work = MPDWork()
  /// Changes that `idle` has not reported yet.
  private var changes = MPDSubsystems.none
  /// The subsystems of a pending `idle`; nil if there is none.
  private var awaited: MPDSubsystems?
  private(set) var isOver = false

  /// Creates a client on a connection. `turns` (shared by all clients) and `owner` must outlive it.
  init(
    _ channel: any ByteChannel, _ box: MPDBox, _ access: MPDAccess, scheduler: any Scheduler,
    turns: RoundRobin, owner: any MPDClientOwner
  ) throws(SystemError) {
    self.channel = channel
    self.scheduler = scheduler
    self.turns = turns
    self.box = box
    self.owner = owner
    session = MPDSession(access)
    silence = DeadlineTimer(scheduler)
    login = DeadlineTimer(scheduler)
    try listen()
  }

  /// Sends the greeting. This may already end the client, which is reported to the owner as usual.
  func greet() {
    send(Array("OK MPD 0.23.5\n".utf8))
    rest()
  }

  /// The subscribed channels.
  var channels: [String] { session.channels }

  /// Records changes and answers a pending `idle`.
  func note(_ changed: MPDSubsystems) {
    for subsystem in MPDSubsystem.allCases where changed.contains(subsystem) { changes.insert(subsystem) }
    tellChanges()
  }

  /// Queues a message if the client is subscribed to its channel. Returns whether it is.
  func take(channel: String, _ text: String) -> Bool {
    guard session.channels.contains(channel) else { return false }
    if session.messages.count < MPDCommand.maxMessages { session.messages.append((channel, text)) }
    note(MPDSubsystems([.message]))
    return true
  }

  /// Closes the connection.
  func end() {
    guard !isOver else { return }
    isOver = true
    watch = nil
    room = nil
    silence.stop()
    login.stop()
    _ = owner.account(-unsent.count)
    unsent = []
    work = MPDWork()
    owner.didEnd(self)
  }

  // MARK: Lines

  private func listen() throws(SystemError) {
    watch = try DescriptorWatch(scheduler, readable: channel.readable) { [unowned(unsafe) self] in read() }
  }

  private func read() {
    var bytes: [UInt8]?
    do throws(SystemError) { bytes = try channel.read(atMost: 4096) } catch { return end() }
    guard let bytes else { return }
    guard !bytes.isEmpty else { return end() }
    input += bytes
    proceed()
    rest()
  }

  /// Requests a turn if a command is pending. Stops reading while more than a line's maximum is buffered, and resumes
  /// afterwards.
  private func proceed() {
    guard !isOver else { return }
    let isBusy = work.isWaiting || !work.isOver || input.contains(0x0A)
    if isBusy, !work.isWaiting { turns.add(self) }
    guard input.count <= Self.maxLineLength else {
      if isBusy { watch = nil } else { end() }
      return
    }
    guard watch == nil else { return }
    do throws(SystemError) { try listen() } catch { end() }
  }

  /// Executes the next command of a list, or the next line.
  func runPiece() {
    guard !isOver, !work.isWaiting else { return }
    if !work.isOver {
      runNext()
    } else if let end = input.firstIndex(of: 0x0A) {
      var line = Array(input[..<end])
      if line.last == 0x0D { line.removeLast() }
      input.removeFirst(end + 1)
      take(line)
    }
    proceed()
    rest()
  }

  private func take(_ line: [UInt8]) {
    // An empty line is refused. A line that cannot be a command, perhaps from a browser, ends the connection.
    guard let first = line.first else {
      return send(Array(MPDRefusal(.unknown, "No command given").line(command: "", index: 0).utf8))
    }
    guard first >= 0x61, first <= 0x7A else { return end() }
    if line.elementsEqual("noidle".utf8) {
      if awaited != nil { endIdle() }
      return
    }
    guard awaited == nil, line.count <= Self.maxLineLength else { return end() }
    switch list.take(line) {
    case .collecting: return
    case .tooLong: return end()
    case .begin(let lines, let isListed, let wantsOK):
      work = MPDWork(lines, isListed: isListed, wantsOK: wantsOK)
      runNext()
    }
  }

  /// Ends `idle` on `noidle`. Earlier events are delivered first, since they arrive on another session than the
  /// answers to commands.
  private func endIdle() {
    work.isWaiting = true
    box.catchUp { [self] in
      guard !isOver else { return }
      work.isWaiting = false
      if awaited != nil {
        awaited = nil
        send(Array("OK\n".utf8))
      }
      conclude()
    }
  }

  // MARK: Commands

  private func runNext() {
    work.isRunning = true
    if let line = work.next() { begin(line) }
    work.isRunning = false
    finish()
  }

  /// Completes the response after the last command of a list.
  private func finish() {
    guard !isOver, !work.isWaiting, work.isOver else { return }
    if work.isSuccess { send(Array("OK\n".utf8)) }
    work = MPDWork()
  }

  private func begin(_ line: [UInt8]) {
    do throws(MPDRefusal) {
      let request = try MPDRequest(line)
      work.command = MPDCommand.isKnown(request.command) ? request.command : ""
      session.hasSpoken = true
      work.changesBefore = owner.changeCounts
      carryOut(try MPDCommand.plan(request, &session))
    } catch {
      refuse(error)
    }
  }

  func refuse(_ refusal: MPDRefusal) {
    guard !isOver else { return }
    send(Array(refusal.line(command: work.command, index: work.index).utf8))
    work.fail()
  }

  func carryOut(_ plan: MPDPlan) {
    switch plan {
    case .answer(let lines):
      send(lines.bytes)
      if work.wantsOK { send(Array("list_OK\n".utf8)) }
    case .close: end()
    case .login(let isRight): carryOutLogin(isRight)
    case .idle(let subsystems):
      // `idle` is not allowed in a command list.
      guard !work.isListed else { return end() }
      awaited = MPDSubsystems(subsystems)
      work.isSuccess = false
      silence.stop()
      tellChanges()
    case .tell(let channel, let text):
      guard owner.tell(channel: channel, text) else {
        return refuse(MPDRefusal(.noSuchThing, "nobody is subscribed to this channel"))
      }
      carryOut(.done)
    case .listChannels:
      var lines = MPDLines()
      for channel in owner.channels { lines.add("channel", channel) }
      carryOut(.answer(lines))
    case .keep(let change, let then):
      box.keep(change)
      carryOut(then)
    case .ensureTold(let subsystems, let then):
      wait { [self] goOn in
        box.catchUp { [self] in
          owner.ensureTold(subsystems, since: work.changesBefore)
          goOn { () throws(MPDRefusal) in then }
        }
      }
    case .ask(let command, let then):
      wait { [self] goOn in
        box.ask(command) { answer in goOn { () throws(MPDRefusal) in try then(answer) } }
      }
    case .change(let compute):
      wait { [self] goOn in
        box.change(compute) { refusal, isTold in
          goOn { () throws(MPDRefusal) in
            if let refusal { throw refusal }
            return isTold ? .told(.playlist) : .done
          }
        }
      }
    case .withQueue(let then):
      wait { [self] goOn in
        box.knowQueue { [self] refusal in
          goOn { () throws(MPDRefusal) in
            if let refusal { throw refusal }
            return try then(box.known)
          }
        }
      }
    case .withTags(let then):
      wait { [self] goOn in
        box.knowTags { [self] refusal in
          goOn { () throws(MPDRefusal) in
            if let refusal { throw refusal }
            return try then(box.known)
          }
        }
      }
    case .withSettings(let then):
      wait { [self] goOn in
        box.knowSettings { [self] refusal in
          goOn { () throws(MPDRefusal) in
            if let refusal { throw refusal }
            return try then(box.known)
          }
        }
      }
    }
  }

  /// Starts an asynchronous step, which completes the command by calling its argument.
  private func wait(_ begin: (_ goOn: @escaping (() throws(MPDRefusal) -> MPDPlan) -> Void) -> Void) {
    work.isWaiting = true
    begin { [self] next in
      guard !isOver else { return }
      work.isWaiting = false
      do throws(MPDRefusal) { carryOut(try next()) } catch { refuse(error) }
      conclude()
    }
  }

  /// Continues after an asynchronous step. If the step completed synchronously, `runNext` does this instead.
  func conclude() {
    guard !work.isRunning else { return }
    finish()
    proceed()
    rest()
  }

  private func tellChanges() {
    guard let wanted = awaited, !isOver else { return }
    let found = changes.take(wanted)
    guard !found.isEmpty else { return }
    awaited = nil
    var lines = MPDLines()
    for subsystem in found { lines.add("changed", subsystem.name) }
    send(lines.bytes + Array("OK\n".utf8))
    rest()
  }

  /// Starts or stops the idle timeout.
  private func rest() {
    guard !isOver, awaited == nil, !work.isWaiting else { return silence.stop() }
    let time = session.permission == .nothing ? MPDSeats.loginNanoseconds : Self.idleNanoseconds
    silence.start(after: time) { [unowned(unsafe) self] in end() }
  }

  // MARK: Answers

  private func send(_ bytes: [UInt8]) {
    guard !isOver, !bytes.isEmpty else { return }
    unsent += bytes
    guard owner.account(bytes.count) else { return end() }
    flush()
  }

  private func flush() {
    while !unsent.isEmpty {
      guard let taken = channel.write(unsent) else { return end() }
      guard taken > 0 else {
        if room == nil {
          do throws(SystemError) {
            room = try DescriptorWatch(scheduler, writable: channel.writable) { [unowned(unsafe) self] in
              flush()
            }
          } catch {
            end()
          }
        }
        return
      }
      unsent.removeFirst(taken)
      _ = owner.account(-taken)
    }
    room = nil
  }
}
