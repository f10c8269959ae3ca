// `#expect` for what the macro cannot capture.

import Testing

/// `#expect` for conditions that call mutating methods, which the macro cannot capture.
func check(_ condition: Bool, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(condition, comment, sourceLocation: sourceLocation)
}
