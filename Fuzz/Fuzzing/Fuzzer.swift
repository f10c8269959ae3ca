// Entry point and input conversion for all fuzz targets. One thread.

import LibFuzzer

/// Runs libFuzzer with this process's arguments.
/// - Parameter body: Called with each input; returns 0.
/// - Returns: The exit status.
public func runFuzzer(_ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32) -> Int32 {
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  return LLVMFuzzerRunDriver(&count, &arguments, body)
}

/// Copies the input of one run into an array.
public func input(_ data: UnsafePointer<UInt8>?, _ size: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: data, count: size))
}
