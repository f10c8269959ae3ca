// Fields that a feature adds to `status`. Control thread.

import Console

/// A feature with fields in the reply to `status`. Class-bound for Embedded Swift.
protocol StatusSource: AnyObject {
  /// The fields; none if there is nothing to report.
  var statusFields: [Field] { get }
}
