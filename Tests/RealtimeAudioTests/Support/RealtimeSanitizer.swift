// Marks the code of the audio thread for RTSan, if the tests are linked with it (scripts/test-rtsan): an
// allocation, lock or blocking call within the mark ends the process. Test threads.

#if SWIFTLET_RTSAN
  @_silgen_name("__rtsan_realtime_enter") private func enterRealtime()
  @_silgen_name("__rtsan_realtime_exit") private func exitRealtime()
#else
  private func enterRealtime() {}
  private func exitRealtime() {}
#endif

/// Runs code that may not allocate, lock or block.
@inline(__always)
func realtime<Result>(_ body: () -> Result) -> Result {
  enterRealtime()
  defer { exitRealtime() }
  return body()
}
