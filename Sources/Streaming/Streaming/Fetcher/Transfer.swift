// A plugin's transfer, with checks of all values from the plugin, which handles data of untrusted servers.
// Fetcher process, one thread.

import CLinux
import Platform
import TransportPlugin

/// Receives a transfer's responses and bytes.
protocol TransferReceiver: AnyObject {
  /// Receives the headers of a response. Returns false to end the transfer.
  func answered(_ answer: SourceAnswer) -> Bool
  /// Receives bytes of the body. Returns false, taking none, if there is no room.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool
}

/// A transfer of a transport plugin.
final class Transfer {
  /// The result of `run` or `resume`.
  enum Outcome {
    case running
    /// The source has sent all bytes.
    case done
    /// The receiver has ended the transfer.
    case refused
    case failed(FetchFailure)

    /// The failure, if any.
    ///
    /// - Parameter refusal: Why the receiver ended the transfer, if it did.
    func failure(_ refusal: FetchFailure?) -> FetchFailure? {
      switch self {
      case .running, .done: nil
      case .refused: refusal ?? FetchFailure(sentence: "The server's answer is not understood.")
      case .failed(let failure): failure
      }
    }
  }

  private static let maxRedirects: Int32 = 12
  private static let maxHeaderBytes: Int32 = 64 << 10

  private let table: UnsafePointer<swiftlet_transport>
  private var transfer: OpaquePointer?
  /// The receiver; must outlive the transfer.
  unowned(unsafe) var receiver: any TransferReceiver
  private let settings: UnsafeMutablePointer<swiftlet_transport_settings>
  private let host: UnsafeMutablePointer<swiftlet_transport_host>
  private(set) var isRunning = false
  private var rule: ReachRule

  /// The widest reach (public, local network or this box) of the servers so far, at least that of the order; nil if unknown,
  /// as behind a proxy.
  var reach: AddressReach? { rule.answered }

  /// Creates an idle transfer. The receiver must outlive it.
  init(_ transport: Transport, _ order: FetchOrder, _ receiver: any TransferReceiver) throws(FetchFailure) {
    table = transport.table
    self.receiver = receiver
    rule = ReachRule(least: order.leastReach, allowsAll: order.allowsPrivateRedirects)
    settings = .allocate(capacity: 1)
    settings.initialize(
      to: swiftlet_transport_settings(
        connect_timeout: Int32(clamping: order.connectMilliseconds), most_redirects: Self.maxRedirects,
        most_header_bytes: Self.maxHeaderBytes, user_agent: UnsafePointer(strdup("Swiftlet")),
        proxy: UnsafePointer(strdup(order.proxy))))
    host = .allocate(capacity: 1)
    host.initialize(to: swiftlet_transport_host())
    // Nothing of this is freed, because the process exits after its transfer.
    setHost()
    guard table.pointee.open(settings, host, &transfer) == 0, transfer != nil else {
      throw FetchFailure(sentence: "The transport plugin cannot begin.")
    }
  }

  /// Sets the callbacks that the plugin calls, with this object as unretained context.
  private func setHost() {
    host.pointee = swiftlet_transport_host(
      context: Unmanaged.passUnretained(self).toOpaque(),
      answered: { context, answer in
        guard let context, let answer else { return 1 }
        return Transfer.from(context).receiver.answered(SourceAnswer(answer.pointee)) ? 0 : 1
      },
      body: { context, bytes, size in
        guard let context, let bytes, size != 0 else { return 0 }
        return Transfer.from(context).takeBody(bytes, size)
      },
      permits: { context, address, size in
        guard let context, let address, size == 4 || size == 16 else { return 0 }
        return Transfer.from(context).rule.permits(UnsafeBufferPointer(start: address, count: size)) ? 1 : 0
      },
      answered_from: { context, address, size in
        guard let context, let address, size == 4 || size == 16 else { return }
        Transfer.from(context).rule.note(answerFrom: UnsafeBufferPointer(start: address, count: size))
      })
  }

  /// Whether the plugin has delivered more bytes at once than permitted.
  private var isBeyond = false

  private func takeBody(_ bytes: UnsafePointer<UInt8>, _ size: Int) -> Int {
    guard !isBeyond, size > 0, size <= FetcherLink.chunk else {
      isBeyond = true
      return 0
    }
    return receiver.take(UnsafeRawBufferPointer(start: bytes, count: size)) ? size : 0
  }

  private static func from(_ context: UnsafeMutableRawPointer) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  }

  private var url = ""

  /// The URL that has responded, after all redirects.
  var location: String {
    guard table.pointee.size >= UInt32(MemoryLayout<swiftlet_transport>.size),
      let text = table.pointee.location?(transfer)
    else { return url }
    let bytes = UnsafeRawBufferPointer(start: text, count: strnlen(text, StreamRequest.maxURLLength + 1))
    let found = String(decoding: bytes, as: UTF8.self)
    return bytes.count <= StreamRequest.maxURLLength && StreamRequest.isStream(found) ? found : url
  }

  /// Requests bytes from an offset on.
  func begin(_ url: String, from offset: Int64, validator: String = "") throws(FetchFailure) {
    self.url = url
    rule.begin()
    let status =
      validator.utf8.isEmpty
      ? table.pointee.begin(transfer, url, offset, nil)
      : table.pointee.begin(transfer, url, offset, validator)
    guard status == 0 else { throw failure(status) }
    isRunning = true
  }

  /// Continues the transfer, and waits for more bytes, one of the descriptors, or a timeout; -1 waits without
  /// limit.
  func run(_ descriptors: [Int32], milliseconds: Int32) -> Outcome {
    outcome(table.pointee.run(transfer, descriptors, descriptors.count, milliseconds))
  }

  /// Continues a transfer after its receiver had no room.
  func resume() -> Outcome {
    outcome(table.pointee.resume(transfer))
  }

  /// Cancels the present request.
  func stop() {
    table.pointee.stop(transfer)
    isRunning = false
  }

  private func outcome(_ status: Int32) -> Outcome {
    if isBeyond {
      isRunning = false
      return .failed(
        FetchFailure(
          sentence: "The transport plugin hands on more than \(FetcherLink.chunk >> 10) KiB at once."))
    }
    if status == SWIFTLET_TRANSPORT_OK.rawValue { return .running }
    isRunning = false
    if status == Int32(SWIFTLET_TRANSPORT_DONE.rawValue) { return .done }
    if status == SWIFTLET_TRANSPORT_ERROR_REFUSED.rawValue { return .refused }
    return .failed(failure(status))
  }

  private func failure(_ status: Int32) -> FetchFailure {
    // A refused address is the reason, unless a connection was lost: then another address of the same name was tried.
    if rule.hasRefused, status != SWIFTLET_TRANSPORT_ERROR_LOST.rawValue {
      return FetchFailure(
        sentence:
          "The server leads to an address of the box or its own network, which it must not; if that is wanted: "
          + "set stream.private-redirects on.")
    }
    let text = table.pointee.last_error(transfer)
    let bytes = UnsafeRawBufferPointer(start: text, count: text.map { strnlen($0, 300) } ?? 0)
    let detail = String(decoding: bytes, as: UTF8.self).printable(limit: 300)
    let words = Self.words(status)
    return FetchFailure(
      sentence: detail.utf8.isEmpty ? words.sentence + "." : words.sentence + ": " + detail + ".",
      remedy: words.remedy)
  }

  private static func words(_ status: Int32) -> (sentence: String, remedy: FetchFailure.Remedy) {
    switch status {
    case SWIFTLET_TRANSPORT_ERROR_NAME.rawValue: ("The server's name is not known", .reconnecting)
    case SWIFTLET_TRANSPORT_ERROR_CONNECT.rawValue: ("The server cannot be reached", .reconnecting)
    // Certificates may be rejected while a device without a clock battery has no valid date.
    case SWIFTLET_TRANSPORT_ERROR_TLS.rawValue: ("No secure connection to the server is possible", .retrying)
    case SWIFTLET_TRANSPORT_ERROR_TIME.rawValue: ("The server does not answer in time", .reconnecting)
    case SWIFTLET_TRANSPORT_ERROR_TOO_LARGE.rawValue: ("The server's answer is refused", .nothing)
    case SWIFTLET_TRANSPORT_ERROR_REDIRECT.rawValue: ("The server's redirects are not followed", .nothing)
    case SWIFTLET_TRANSPORT_ERROR_LOST.rawValue: ("The connection was lost", .reconnecting)
    case SWIFTLET_TRANSPORT_ERROR_URL.rawValue: ("The URL cannot be fetched", .nothing)
    case SWIFTLET_TRANSPORT_ERROR_MEMORY.rawValue: ("The stream's process is out of memory", .reconnecting)
    default: ("The server does not speak HTTP", .nothing)
    }
  }
}

extension SourceAnswer {
  /// Converts the plugin's structure. Implausible values count as unknown.
  fileprivate init(_ answer: swiftlet_transport_answer) {
    self.init(status: Int(answer.status))
    acceptsRanges = answer.accepts_ranges == 1
    first = answer.first >= 0 ? answer.first : nil
    length = (0...SpoolLayout.maxLength).contains(answer.length) ? answer.length : nil
    titleInterval = (0...(1 << 24)).contains(answer.title_interval) ? answer.title_interval : 0
    isStation = answer.is_station == 1
    contentType = Self.text(answer.content_type)
    validator = Self.text(answer.validator)
    station = Self.text(answer.station)
  }

  private static func text<Field>(_ field: Field) -> String {
    withUnsafeBytes(of: field) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self).printable(limit: MemoryLayout<Field>.size - 1)
    }
  }
}
