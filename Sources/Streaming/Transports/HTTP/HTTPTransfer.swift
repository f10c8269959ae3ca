// One transfer after another by one libcurl handle, so that a connection can be used again. Fetcher process only, one thread.

import CCurl
import TransportPlugin

/// What stands behind the table's transfer pointer.
final class HTTPTransfer {
  private let host: swiftlet_transport_host
  private let settings: swiftlet_transport_settings
  private let easy: UnsafeMutableRawPointer
  private let multi: UnsafeMutableRawPointer
  /// libcurl's own words about an error.
  private let reason: UnsafeMutablePointer<CChar>
  private var headers = AnswerHeaders()
  private var lines: UnsafeMutablePointer<curl_slist>?
  /// Asks the host before each connection; nil behind a proxy, which makes them itself.
  private let guardian: UnsafeMutablePointer<ccurl_guard>?
  private var isAdded = false
  private var hasAnswered = false
  /// What the transfer ended with for a reason of this object's, before libcurl reports that it was ended.
  private var refusal: Int32 = 0

  /// Nil without memory.
  init?(_ settings: swiftlet_transport_settings, _ host: swiftlet_transport_host) {
    guard let easy = curl_easy_init() else { return nil }
    guard let multi = curl_multi_init() else {
      curl_easy_cleanup(easy)
      return nil
    }
    self.settings = settings
    self.host = host
    self.easy = easy
    self.multi = multi
    reason = .allocate(capacity: Int(CCURL_ERROR_SIZE))
    reason[0] = 0
    if settings.proxy[0] == 0 {
      let made = UnsafeMutablePointer<ccurl_guard>.allocate(capacity: 1)
      made.initialize(
        to: ccurl_guard(context: host.context, permits: host.permits, answered_from: host.answered_from))
      guardian = made
    } else {
      guardian = nil
    }
    setUp()
  }

  deinit {
    stop()
    curl_multi_cleanup(multi)
    curl_easy_cleanup(easy)
    curl_slist_free_all(lines)
    reason.deallocate()
    guardian?.deallocate()
  }

  static func from(_ transfer: OpaquePointer) -> HTTPTransfer {
    Unmanaged<HTTPTransfer>.fromOpaque(UnsafeRawPointer(transfer)).takeUnretainedValue()
  }

  /// A sentence about the latest error, or libcurl's word for it.
  var lastError: UnsafePointer<CChar> { UnsafePointer(reason) }

  /// The URL that has answered.
  var location: UnsafePointer<CChar>? { ccurl_effective_url(easy) }

  private func setUp() {
    let own = Unmanaged.passUnretained(self).toOpaque()
    for (option, value) in [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_NOPROGRESS, 1), (CURLOPT_FOLLOWLOCATION, 1),
      (CURLOPT_MAXREDIRS, Int(settings.most_redirects)),
      (CURLOPT_CONNECTTIMEOUT_MS, Int(settings.connect_timeout)),
      (CURLOPT_HTTP_VERSION, CCURL_HTTP_1_1), (CURLOPT_TCP_KEEPALIVE, 1),
      (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_BUFFERSIZE, 16_384),
    ] { ccurl_set_number(easy, option, value) }
    ccurl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    ccurl_set_text(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    ccurl_set_text(easy, CURLOPT_USERAGENT, settings.user_agent)
    ccurl_set_text(easy, CURLOPT_PROXY, settings.proxy)
    if let guardian { ccurl_guard_connections(easy, guardian) }
    // Some servers compress what they send unasked; `begin` asks for none.
    ccurl_set_text(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
    // The certificates that are trusted, where they are not the system's; libcurl itself does not look there.
    if let path = getenv("SSL_CERT_FILE"), path[0] != 0 { ccurl_set_text(easy, CURLOPT_CAINFO, path) }
    ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, reason)
    ccurl_set_receiver(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      HTTPTransfer.from(OpaquePointer(context!)).takeHeader(bytes, size * count)
    }
    ccurl_set_pointer(easy, CURLOPT_HEADERDATA, own)
    ccurl_set_receiver(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      HTTPTransfer.from(OpaquePointer(context!)).takeBody(bytes, size * count)
    }
    ccurl_set_pointer(easy, CURLOPT_WRITEDATA, own)
    // What Shoutcast's first servers say in place of a status line.
    lines = curl_slist_append(nil, "ICY 200 OK")
    ccurl_set_pointer(easy, CURLOPT_HTTP200ALIASES, lines)
  }

  /// The header lines of the request that is under way.
  private var requestLines: UnsafeMutablePointer<curl_slist>?

  func begin(_ url: UnsafePointer<CChar>, from offset: Int64, validator: UnsafePointer<CChar>?) -> Int32 {
    stop()
    headers = AnswerHeaders()
    hasAnswered = false
    refusal = 0
    reason[0] = 0
    guard ccurl_set_text(easy, CURLOPT_URL, url) == CURLE_OK else {
      return SWIFTLET_TRANSPORT_ERROR_URL.rawValue
    }
    requestLines = curl_slist_append(nil, "Accept-Encoding: identity")
    // Titles are asked for of whoever may be a station: from the beginning on only.
    if offset == 0 { requestLines = curl_slist_append(requestLines, "Icy-MetaData: 1") }
    if offset > 0 { addRange(from: offset, validator) }
    ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, requestLines)
    guard curl_multi_add_handle(multi, easy) == CURLM_OK else {
      return SWIFTLET_TRANSPORT_ERROR_MEMORY.rawValue
    }
    isAdded = true
    return 0
  }

  private func addRange(from offset: Int64, _ validator: UnsafePointer<CChar>?) {
    withLine("Range: bytes=", number: offset, "-") { requestLines = curl_slist_append(requestLines, $0) }
    guard let validator, validator[0] != 0 else { return }
    withLine("If-Range: ", text: validator) { requestLines = curl_slist_append(requestLines, $0) }
  }

  private func withLine(
    _ name: StaticString, number: Int64, _ end: StaticString, _ use: (UnsafePointer<CChar>) -> Void
  ) {
    var digits: [UInt8] = []
    var rest = number
    repeat {
      digits.insert(0x30 + UInt8(rest % 10), at: 0)
      rest /= 10
    } while rest > 0
    use(line(name, digits + UnsafeBufferPointer(start: end.utf8Start, count: end.utf8CodeUnitCount)))
  }

  private func withLine(
    _ name: StaticString, text: UnsafePointer<CChar>, _ use: (UnsafePointer<CChar>) -> Void
  ) {
    var bytes: [UInt8] = []
    var index = 0
    while text[index] != 0 {
      bytes.append(UInt8(bitPattern: text[index]))
      index += 1
    }
    use(line(name, bytes))
  }

  private func line(_ name: StaticString, _ rest: [UInt8]) -> [CChar] {
    let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    return (Array(name) + rest + [0]).map { CChar(bitPattern: $0) }
  }

  func stop() {
    if isAdded { curl_multi_remove_handle(multi, easy) }
    isAdded = false
    ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, nil)
    curl_slist_free_all(requestLines)
    requestLines = nil
  }

  func resume() -> Int32 {
    guard isAdded else { return 0 }
    // Delivers what was kept before it returns.
    _ = curl_easy_pause(easy, CCURL_CONTINUE)
    return refusal
  }

  func run(_ descriptors: UnsafeBufferPointer<Int32>, milliseconds: Int32) -> Int32 {
    var active: Int32 = 0
    guard curl_multi_perform(multi, &active) == CURLM_OK else {
      return SWIFTLET_TRANSPORT_ERROR_MEMORY.rawValue
    }
    if let status = outcome() { return status }
    var extra = descriptors.map { curl_waitfd(fd: $0, events: CCURL_WAIT_READABLE, revents: 0) }
    // Zero is for ever here, in the words of libcurl: a time that never comes.
    let time = milliseconds < 0 ? Int32.max : milliseconds
    let result = extra.withUnsafeMutableBufferPointer {
      curl_multi_poll(multi, $0.baseAddress, UInt32($0.count), time, nil)
    }
    return result == CURLM_OK ? 0 : SWIFTLET_TRANSPORT_ERROR_MEMORY.rawValue
  }

  /// How the transfer has ended; nil where it has not.
  private func outcome() -> Int32? {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      let result = ccurl_result(message)
      stop()
      if refusal == SWIFTLET_TRANSPORT_ERROR_TOO_LARGE.rawValue {
        explain(cString("its headers are endless"))
      }
      if refusal != 0 { return refusal }
      if result == CURLE_OK {
        // An answer without a body.
        guard answer() else { return SWIFTLET_TRANSPORT_ERROR_REFUSED.rawValue }
        return SWIFTLET_TRANSPORT_DONE.rawValue
      }
      if reason[0] == 0 { explain(curl_easy_strerror(result)) }
      return status(result).rawValue
    }
    return nil
  }

  private func status(_ code: CURLcode) -> swiftlet_transport_status {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: SWIFTLET_TRANSPORT_ERROR_NAME
    case CURLE_COULDNT_CONNECT: SWIFTLET_TRANSPORT_ERROR_CONNECT
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      SWIFTLET_TRANSPORT_ERROR_TLS
    case CURLE_OPERATION_TIMEDOUT: SWIFTLET_TRANSPORT_ERROR_TIME
    case CURLE_TOO_MANY_REDIRECTS: SWIFTLET_TRANSPORT_ERROR_REDIRECT
    // By a redirection, or because the answer is none of HTTP/1.
    case CURLE_UNSUPPORTED_PROTOCOL where (300..<400).contains(ccurl_response_code(easy)):
      SWIFTLET_TRANSPORT_ERROR_REDIRECT
    case CURLE_URL_MALFORMAT: SWIFTLET_TRANSPORT_ERROR_URL
    // So libcurl calls a header line that is too long.
    case CURLE_OUT_OF_MEMORY where !hasAnswered: SWIFTLET_TRANSPORT_ERROR_TOO_LARGE
    case CURLE_OUT_OF_MEMORY: SWIFTLET_TRANSPORT_ERROR_MEMORY
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      SWIFTLET_TRANSPORT_ERROR_LOST
    default: SWIFTLET_TRANSPORT_ERROR_PROTOCOL
    }
  }

  private func explain(_ text: UnsafePointer<CChar>?) {
    guard let text else { return }
    var index = 0
    while index < Int(CCURL_ERROR_SIZE) - 1, text[index] != 0 {
      reason[index] = text[index]
      index += 1
    }
    reason[index] = 0
  }

  private func takeHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    guard let bytes else { return 0 }
    // Before a redirection is followed.
    if let guardian { ccurl_note_answer(easy, guardian) }
    headers.take(
      UnsafeBufferPointer(start: UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self), count: count))
    guard headers.bytes <= Int(settings.most_header_bytes) else {
      refusal = SWIFTLET_TRANSPORT_ERROR_TOO_LARGE.rawValue
      return 0
    }
    return count
  }

  private func takeBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    guard let bytes, answer() else { return 0 }
    let taken = host.body(host.context, UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self), count)
    return taken == 0 ? CCURL_PAUSE : taken
  }

  /// Hands on the answer, once. False where the host does not want it.
  private func answer() -> Bool {
    if hasAnswered { return refusal == 0 }
    hasAnswered = true
    var answer = headers.finished(status: ccurl_response_code(easy))
    if host.answered(host.context, &answer) != 0 { refusal = SWIFTLET_TRANSPORT_ERROR_REFUSED.rawValue }
    return refusal == 0
  }
}
