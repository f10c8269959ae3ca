// Addresses of files on this host. Pure; any thread.

extension String {
  /// The path of a URI such as `file:///x`, `file:/x` or `file://localhost/x` (RFC 8089, section 2), with its percent
  /// escapes; nil for other strings.
  package var filePathOfURI: [UInt8]? {
    let bytes = Array(utf8)
    func begins(_ prefix: String) -> Bool {
      bytes.prefix(prefix.utf8.count).map { $0.asciiLowercased }.elementsEqual(prefix.utf8)
    }
    if begins("file://localhost/") { return Array(bytes.dropFirst(16)) }
    if begins("file://") { return Array(bytes.dropFirst(7)) }
    return begins("file:/") ? Array(bytes.dropFirst(5)) : nil
  }
}
