// Output of a console session: formats replies and events, and sends long reports page by page. Control thread; never
// blocks.

import Console
import Platform

/// Writes replies, notices and reports to a channel.
final class ReplyWriter {
  /// Format of replies and notices: text or JSON.
  var format = ReplyFormat.text
  /// Called when the client has closed the connection.
  var onClosed: () -> Void {
    get { output.onClosed }
    set { output.onClosed = newValue }
  }
  private let output: OutputBuffer
  private let lineEnd: LineEnd
  /// Remaining pages of the report being sent; nil: none.
  private var pages: ReportPages?
  private let pageTimer: DeadlineTimer
  private var onReportSent: () -> Void = {}

  init(_ channel: any ByteChannel, lineEnd: LineEnd, scheduler: any Scheduler) {
    output = OutputBuffer(channel, scheduler: scheduler)
    self.lineEnd = lineEnd
    pageTimer = DeadlineTimer(scheduler)
  }

  /// Queues bytes without formatting.
  func write(_ bytes: [UInt8]) { output.write(bytes) }

  /// Queues text without formatting.
  func write(_ text: String) { output.write(text) }

  /// Queues a formatted reply.
  func write(_ reply: Reply) { output.write(rendered(reply)) }

  /// Formatted bytes of a reply.
  func rendered(_ reply: Reply) -> [UInt8] { reply.rendered(format, lineEnd: lineEnd) }

  /// Formatted bytes of a notice.
  func rendered(_ notice: Notice) -> [UInt8] { notice.rendered(format, lineEnd: lineEnd) }

  /// Sends a report page by page. The next page is sent once the client has read the last one and other sessions had a
  /// turn.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - then: Called after the last page.
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
    // The write may have closed the connection, which ends this writer.
    guard pages != nil else { return }
    let onwards = { [unowned(unsafe) self] in
      pageTimer.start(after: 0) { [unowned(unsafe) self] in writePage() }
    }
    if output.isEmpty { onwards() } else { output.onEmpty = onwards }
  }

  /// Stops sending and drops queued output.
  func end() {
    output.onClosed = {}
    output.onEmpty = nil
    pages = nil
    onReportSent = {}
    pageTimer.stop()
    output.end()
  }
}
