// A thin wrapper of SQLite: databases, statements and rows. Used by one thread at a time; blocks on storage.

import CSQLite
import Platform

/// Value of a column or of a bound parameter.
enum DatabaseValue: Hashable {
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
}

/// An open database.
final class Database {
  fileprivate let sqlite: csqlite_functions
  fileprivate let handle: OpaquePointer
  let path: String

  /// Timeout for a lock of another process that writes.
  private static let timeoutMilliseconds: Int32 = 10_000

  /// Opens a database for reading and writing.
  ///
  /// - Parameters:
  ///   - path: Path of the file.
  ///   - isMade: Whether to create a missing file.
  /// - Throws: `LibraryFault`; `isBroken` if the file is not a valid database.
  init(_ path: String, isMade: Bool) throws(LibraryFault) {
    let sqlite = try SQLiteLibrary().functions
    let place = try Self.place(of: path)
    var opened: OpaquePointer?
    let flags = isMade ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE
    let code = place.withPath {
      sqlite.sqlite3_open_v2($0, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nil)
    }
    guard code == SQLITE_OK, let handle = opened else {
      let reason = opened.map { Self.message(sqlite, $0) } ?? "out of memory"
      _ = opened.map { sqlite.sqlite3_close_v2($0) }
      throw LibraryFault("\(path) cannot be opened: \(reason)", isBroken: Self.isBroken(code))
    }
    self.sqlite = sqlite
    self.handle = handle
    self.path = path
    _ = sqlite.sqlite3_busy_timeout(handle, Self.timeoutMilliseconds)
  }

  deinit { _ = sqlite.sqlite3_close_v2(handle) }

  /// Suffixes of the files that belong to one database.
  static let endings = ["", "-wal", "-shm", "-journal"]

  /// The path with a resolved folder. SQLite is opened with NOFOLLOW, which also rejects links in the folder's path.
  private static func place(of path: String) throws(LibraryFault) -> String {
    do throws(SystemError) {
      for ending in endings { _ = try StateFile(path + ending).status() }
    } catch {
      throw LibraryFault("the index cannot be opened: \(error.description)", isBroken: false)
    }
    let folder = AtomicFile.folder(of: path)
    let name = String(decoding: path.utf8.reversed().prefix { $0 != 0x2F }.reversed(), as: UTF8.self)
    return Directory.path(of: name, in: AtomicFile.resolved(folder) ?? folder)
  }

  /// Runs statements without results.
  func run(_ sql: String) throws(LibraryFault) {
    let code = sql.withCString { sqlite.sqlite3_exec(handle, $0, nil, nil, nil) }
    guard code == SQLITE_OK else { throw fault(code) }
  }

  /// Runs one statement with bound values.
  func run(_ sql: String, _ values: [DatabaseValue]) throws(LibraryFault) {
    let statement = try Statement(self, sql)
    try statement.bind(values)
    while try statement.step() {}
  }

  /// Runs a query and calls `each` for every row.
  func rows(
    _ sql: String, _ values: [DatabaseValue] = [], each: (Statement) throws(LibraryFault) -> Void
  ) throws(LibraryFault) {
    let statement = try Statement(self, sql)
    try statement.bind(values)
    while try statement.step() { try each(statement) }
  }

  /// The integer result of a query; 0 without a row.
  func number(_ sql: String, _ values: [DatabaseValue] = []) throws(LibraryFault) -> Int64 {
    var found: Int64 = 0
    try rows(sql, values) { (row) throws(LibraryFault) in found = row.integer(0) }
    return found
  }

  /// Number of rows changed by the last statement.
  var changes: Int { Int(sqlite.sqlite3_changes(handle)) }

  fileprivate func fault(_ code: Int32) -> LibraryFault {
    LibraryFault("\(path): \(Self.message(sqlite, handle))", isBroken: Self.isBroken(code))
  }

  private static func message(_ sqlite: csqlite_functions, _ handle: OpaquePointer) -> String {
    sqlite.sqlite3_errmsg(handle).map { String(cString: $0) } ?? "out of memory"
  }

  private static func isBroken(_ code: Int32) -> Bool {
    code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB
  }
}

/// A prepared statement, which may be run repeatedly.
final class Statement {
  private let database: Database
  private let handle: OpaquePointer

  /// Prepares a statement.
  init(_ database: Database, _ sql: String) throws(LibraryFault) {
    var prepared: OpaquePointer?
    let code = sql.withCString {
      database.sqlite.sqlite3_prepare_v2(database.handle, $0, -1, &prepared, nil)
    }
    guard code == SQLITE_OK, let handle = prepared else { throw database.fault(code) }
    self.database = database
    self.handle = handle
  }

  deinit { _ = database.sqlite.sqlite3_finalize(handle) }

  /// Resets the statement and binds values to its parameters, in order.
  func bind(_ values: [DatabaseValue]) throws(LibraryFault) {
    _ = database.sqlite.sqlite3_reset(handle)
    for (i, value) in values.enumerated() {
      let place = Int32(i + 1)
      let code =
        switch value {
        case .integer(let number): database.sqlite.sqlite3_bind_int64(handle, place, number)
        case .text(let text): bind(text, at: place)
        case .bytes(let bytes):
          bytes.withUnsafeBytes {
            database.sqlite.sqlite3_bind_blob(
              handle, place, $0.baseAddress, Int32($0.count), csqlite_copies())
          }
        }
      guard code == SQLITE_OK else { throw database.fault(code) }
    }
  }

  private func bind(_ text: String, at place: Int32) -> Int32 {
    let bytes = Array(text.utf8)
    return bytes.withUnsafeBytes { buffer in
      // An empty buffer may have no address, which SQLite would bind as NULL.
      buffer.isEmpty
        ? database.sqlite.sqlite3_bind_text(handle, place, "", 0, csqlite_copies())
        : database.sqlite.sqlite3_bind_text(
          handle, place, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count),
          csqlite_copies())
    }
  }

  /// Advances to the next row; false after the last.
  func step() throws(LibraryFault) -> Bool {
    let code = database.sqlite.sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw database.fault(code)
    }
  }

  /// An integer column of the row, counted from 0.
  func integer(_ column: Int32) -> Int64 { database.sqlite.sqlite3_column_int64(handle, column) }

  /// A text column of the row, counted from 0.
  func text(_ column: Int32) -> String {
    guard let text = database.sqlite.sqlite3_column_text(handle, column) else { return "" }
    let count = Int(database.sqlite.sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }
}
