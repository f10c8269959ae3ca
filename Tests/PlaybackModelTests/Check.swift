// `#expect` for expressions that the macro cannot capture. Test threads.

import Testing

/// Like `#expect`, for conditions that call mutating methods.
func check(_ condition: Bool, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(condition, comment, sourceLocation: sourceLocation)
}
