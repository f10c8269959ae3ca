// What all fuzzers share. One thread.

import LibFuzzer

/// Runs libFuzzer with this process's arguments; answers the exit status.
public func runFuzzer(_ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32) -> Int32 {
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  return LLVMFuzzerRunDriver(&count, &arguments, body)
}

/// The input of one run.
public func input(_ data: UnsafePointer<UInt8>?, _ size: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: data, count: size))
}
