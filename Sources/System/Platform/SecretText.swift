// Comparison of passwords and PINs. Pure; any thread.

/// Comparison of a typed text with a secret.
package enum SecretText {
  /// Compares in a time that depends only on the lengths, so that timing does not reveal the secret.
  ///
  /// - Parameters:
  ///   - typed: The text of the user or client.
  ///   - secret: The configured password or PIN; may be empty.
  /// - Returns: Whether both are equal.
  package static func matches(_ typed: String, _ secret: String) -> Bool {
    let wanted = Array(secret.utf8)
    var difference = wanted.count ^ typed.utf8.count
    guard !wanted.isEmpty else { return difference == 0 }
    for (i, byte) in typed.utf8.enumerated() { difference |= Int(byte ^ wanted[i % wanted.count]) }
    return difference == 0
  }
}
