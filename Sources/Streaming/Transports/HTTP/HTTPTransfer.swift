// HTTP transfers with one libcurl handle, which is reused to keep connections alive. Fetcher process only,
// one thread.

import CCurl
import TransportPlugin

/// The object behind the ABI's transfer pointer.
final class HTTPTransfer {
  private let host: swiftlet_transport_host
  private let settings: swiftlet_transport_settings
  private let easy: UnsafeMutableRawPointer
  private let multi: UnsafeMutableRawPointer
  /// libcurl's error text.
  private let reason: UnsafeMutablePointer<CChar>
  private var headers = AnswerHeaders()
  private var lines: UnsafeMutablePointer<curl_slist>?
  /// The host's connection filter; nil behind a proxy, which makes the connections.
  private let guardian: UnsafeMutablePointer<ccurl_guard>?
  private var isAdded = false
  private var hasAnswered = false
  /// The status of a transfer that this object has ended, until libcurl reports the end.
  private var refusal: Int32 = 0

  /// Nil if memory is short.
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

  /// The latest error text, from this object or libcurl.
  var lastError: UnsafePointer<CChar> { UnsafePointer(reason) }

  /// The URL that has responded, after redirects.
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
    // Some servers compress although `begin` requests identity.
    ccurl_set_text(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
    // libcurl does not read SSL_CERT_FILE itself.
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
    // The status line of old Shoutcast servers.
    lines = curl_slist_append(nil, "ICY 200 OK")
    ccurl_set_pointer(easy, CURLOPT_HTTP200ALIASES, lines)
  }

  /// The header lines of the present request.
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
    // Requests inline titles, which only a station sends, at the beginning only.
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
    // Delivers the retained bytes before it returns.
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
    // libcurl has no unlimited timeout.
    let time = milliseconds < 0 ? Int32.max : milliseconds
    let result = extra.withUnsafeMutableBufferPointer {
      curl_multi_poll(multi, $0.baseAddress, UInt32($0.count), time, nil)
    }
    return result == CURLM_OK ? 0 : SWIFTLET_TRANSPORT_ERROR_MEMORY.rawValue
  }

  /// The status with which the transfer has ended; nil while it runs.
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
      // A response without a body, or one whose connection was lost before the first byte of its body.
      if result == CURLE_OK || result == CURLE_PARTIAL_FILE, !answer() {
        return SWIFTLET_TRANSPORT_ERROR_REFUSED.rawValue
      }
      if result == CURLE_OK { return SWIFTLET_TRANSPORT_DONE.rawValue }
      if result == CURLE_TOO_MANY_REDIRECTS { explain(cString("there are too many")) }
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
    // A redirect to an unsupported scheme; otherwise the response is not HTTP/1.
    case CURLE_UNSUPPORTED_PROTOCOL where (300..<400).contains(ccurl_response_code(easy)):
      SWIFTLET_TRANSPORT_ERROR_REDIRECT
    case CURLE_URL_MALFORMAT: SWIFTLET_TRANSPORT_ERROR_URL
    // libcurl's code for a header line that is too long.
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
    // Reports the server's address before a redirect is followed.
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

  /// Passes the response's headers to the host, once. Returns false if the host rejects them.
  private func answer() -> Bool {
    if hasAnswered { return refusal == 0 }
    hasAnswered = true
    var answer = headers.finished(status: ccurl_response_code(easy))
    if host.answered(host.context, &answer) != 0 { refusal = SWIFTLET_TRANSPORT_ERROR_REFUSED.rawValue }
    return refusal == 0
  }
}
