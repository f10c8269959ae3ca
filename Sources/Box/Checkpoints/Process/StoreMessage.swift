// The messages between the engine and the storage process, and their encoding. Pure values, except
// `StoreFrame`, which blocks on a pipe. One thread at a time.

import Platform

/// A request to the storage process, which answers each before the next is sent.
enum StoreRequest: Hashable {
  /// `FileStorage.open`, after closing the open file.
  case open(String)
  /// `FileStorage.create`; on success it replaces the open file.
  case create(String, size: Int, head: [UInt8])
  /// Renames the file at a path to `path.bad`.
  case setAside(String)
  /// Reads from the open checkpoint file (`read`), or writes to it and syncs (`keep`).
  case read(offset: Int, count: Int)
  case keep([UInt8], offset: Int)
  /// Reads a file's first bytes. Symbolic links are followed only for files that users write.
  case load(String, limit: Int, followsLinks: Bool)
  /// `StateFile.replace`.
  case replace(String, [UInt8], isPrivate: Bool)

  private static let maxPathLength = 4096

  var bytes: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .open(let path): writer.put(0, 0, 0, path)
    case .create(let path, let size, let head): writer.put(1, size, 0, path, head)
    case .setAside(let path): writer.put(2, 0, 0, path)
    case .read(let offset, let count): writer.put(3, offset, count, "")
    case .keep(let bytes, let offset): writer.put(4, offset, 0, "", bytes)
    case .load(let path, let limit, let followsLinks): writer.put(5, limit, followsLinks ? 1 : 0, path)
    case .replace(let path, let bytes, let isPrivate): writer.put(6, isPrivate ? 1 : 0, 0, path, bytes)
    }
    return writer.bytes
  }

  /// Decodes a request; nil if the bytes are invalid.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let kind = try? reader.byte(), let first = try? reader.integer(8),
      let second = try? reader.integer(8),
      let path = try? reader.text(limit: Self.maxPathLength), let data = try? reader.raw(reader.rest)
    else { return nil }
    switch kind {
    case 0: self = .open(path)
    case 1: self = .create(path, size: first, head: Array(data))
    case 2: self = .setAside(path)
    case 3: self = .read(offset: first, count: second)
    case 4: self = .keep(Array(data), offset: first)
    case 5: self = .load(path, limit: first, followsLinks: second == 1)
    case 6: self = .replace(path, Array(data), isPrivate: first == 1)
    default: return nil
    }
  }
}

/// A reply of the storage process.
enum StoreReply: Hashable {
  /// Success, with the file's size for `open` and `create`, and the bytes for reads.
  case done(size: Int, [UInt8])
  /// There is no file to open.
  case nothing
  /// The operation failed.
  case failed(SystemError)

  private static let maxTextLength = 4096

  var bytes: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .done(let size, let data): writer.put(0, size, 0, "", data)
    case .nothing: writer.put(1, 0, 0, "")
    case .failed(let error):
      writer.put(2, Int(error.code), 0, error.call)
      writer.text(error.subject, limit: Self.maxTextLength)
    }
    return writer.bytes
  }

  /// Decodes a reply; nil if the bytes are invalid.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let kind = try? reader.byte(), let number = try? reader.integer(8), (try? reader.number(8)) != nil,
      let call = try? reader.text(limit: Self.maxTextLength)
    else { return nil }
    switch kind {
    case 0:
      guard let data = try? reader.raw(reader.rest) else { return nil }
      self = .done(size: number, Array(data))
    case 1: self = .nothing
    case 2:
      guard let subject = try? reader.text(limit: Self.maxTextLength) else { return nil }
      self = .failed(SystemError(call, on: subject, code: Int32(clamping: number)))
    default: return nil
    }
  }
}

extension ByteWriter {
  fileprivate mutating func put(
    _ kind: UInt8, _ first: Int, _ second: Int, _ text: String, _ data: [UInt8] = []
  ) {
    byte(kind)
    number(max(0, first), 8)
    number(max(0, second), 8)
    self.text(text, limit: 4096)
    raw(data)
  }
}

/// Frames a message on a pipe: its length in four bytes, little-endian, then its bytes.
enum StoreFrame {
  /// The most bytes of a message: the largest queue area and overhead.
  static let limit = CheckpointLayout.maxArea + 65_536
  private static let lengthBytes = 4

  /// Writes a message; blocks until the pipe has taken it.
  static func send(_ bytes: [UInt8], to pipe: borrowing FileDescriptor) throws(SystemError) {
    var writer = ByteWriter()
    writer.number(bytes.count, lengthBytes)
    writer.raw(bytes)
    try pipe.writeAll(writer.bytes)
  }

  /// Reads a message; blocks until it is complete.
  ///
  /// - Returns: The message; nil at end of file or for an invalid length.
  static func receive(from pipe: borrowing FileDescriptor) throws(SystemError) -> [UInt8]? {
    guard let head = try take(lengthBytes, from: pipe) else { return nil }
    var reader = ByteReader(head)
    guard let length = try? reader.integer(lengthBytes), length <= limit else { return nil }
    return try take(length, from: pipe)
  }

  private static func take(_ count: Int, from pipe: borrowing FileDescriptor) throws(SystemError) -> [UInt8]?
  {
    var bytes: [UInt8] = []
    while bytes.count < count {
      guard let more = try pipe.read(atMost: min(count - bytes.count, 65_536)), !more.isEmpty else {
        return nil
      }
      bytes += more
    }
    return bytes
  }
}
