// What a session says, in the format that was asked for; long reports a page at a time. Control thread; never waits.

import Console
import Platform

/// Writes replies, notices and reports to a channel.
final class ReplyWriter {
  /// How replies and notices are written.
  var format = ReplyFormat.text
  /// Called when the other end is gone.
  var onClosed: () -> Void {
    get { output.onClosed }
    set { output.onClosed = newValue }
  }
  private let output: OutputBuffer
  private let lineEnd: LineEnd
  /// What is left of a report that is being sent.
  private var pages: ReportPages?
  private let pageTimer: DeadlineTimer
  private var onReportSent: () -> Void = {}

  init(_ channel: any ByteChannel, lineEnd: LineEnd, scheduler: any Scheduler) {
    output = OutputBuffer(channel, scheduler: scheduler)
    self.lineEnd = lineEnd
    pageTimer = DeadlineTimer(scheduler)
  }

  /// Sends bytes as they are, now or later.
  func write(_ bytes: [UInt8]) { output.write(bytes) }

  /// Sends text as it is, now or later.
  func write(_ text: String) { output.write(text) }

  /// Sends an answer.
  func write(_ reply: Reply) { output.write(rendered(reply)) }

  /// The bytes of an answer.
  func rendered(_ reply: Reply) -> [UInt8] { reply.rendered(format, lineEnd: lineEnd) }

  /// The bytes of a notice.
  func rendered(_ notice: Notice) -> [UInt8] { notice.rendered(format, lineEnd: lineEnd) }

  /// Sends a report, a page whenever the last one has been taken and others have had their turn. Calls `then` after the
  /// last one.
  func write(_ report: ReportPages, then: @escaping () -> Void) {
    pages = report
    onReportSent = then
    writePage()
  }

  private func writePage() {
    guard let page = pages?.next() else {
      pages = nil
      let done = onReportSent
      onReportSent = {}
      return done()
    }
    for line in page { output.write(ReportLine(line).rendered(format, lineEnd: lineEnd)) }
    // The other end may have gone meanwhile.
    guard pages != nil else { return }
    let onwards = { [unowned(unsafe) self] in
      pageTimer.start(after: 0) { [unowned(unsafe) self] in writePage() }
    }
    if output.isEmpty { onwards() } else { output.onEmpty = onwards }
  }

  /// Sends nothing more, and waits for no one to read.
  func end() {
    output.onClosed = {}
    output.onEmpty = nil
    pages = nil
    onReportSent = {}
    pageTimer.stop()
    output.end()
  }
}
