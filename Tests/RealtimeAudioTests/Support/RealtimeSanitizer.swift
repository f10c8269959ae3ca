// Marks what the audio thread runs for RTSan, where the tests are linked with it (scripts/test-rtsan): there, an
// allocation, a lock or a blocking call within the mark ends the process. Test threads.

#if SWIFTLET_RTSAN
  @_silgen_name("__rtsan_realtime_enter") private func enterRealtime()
  @_silgen_name("__rtsan_realtime_exit") private func exitRealtime()
#else
  private func enterRealtime() {}
  private func exitRealtime() {}
#endif

/// Runs what may neither allocate, lock nor block.
@inline(__always)
func realtime<Result>(_ body: () -> Result) -> Result {
  enterRealtime()
  defer { exitRealtime() }
  return body()
}
