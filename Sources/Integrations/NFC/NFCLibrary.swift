// Opens a PN532 NFC reader through libnfc and polls it for tags. Single thread of the reader's process; blocks on the
// chip.

import CLinux
import CNFC
import Controls
import PlaybackModel

/// The functions of libnfc, which is never unloaded.
struct NFCLibrary {
  fileprivate var functions: cnfc_functions
  private let context: OpaquePointer

  /// Loads the library and initializes it with its configuration.
  init() throws(ReaderFailure) {
    functions = cnfc_functions()
    guard cnfc_load(&functions) != 0 else {
      throw ReaderFailure(
        "libnfc, which reads a PN532, cannot be loaded (\(String(cString: dlerror()))); install Debian's package libnfc6"
      )
    }
    var context: OpaquePointer?
    functions.nfc_init(&context)
    guard let context else { throw ReaderFailure("libnfc cannot begin: it has no memory") }
    self.context = context
  }

  /// Opens a PN532 and disables endless selection and automatic ISO 14443-4 activation.
  func open(_ connection: NFCConnection) throws(ReaderFailure) -> PN532 {
    guard let device = functions.nfc_open(context, connection.text) else {
      throw ReaderFailure(
        "no PN532 answers at \(connection.path); see that its switches are set for \(connection.bus.wiring), that its wires are where "
          + "they should be, and that no other program uses it")
    }
    let chip = PN532(functions, device)
    guard functions.nfc_initiator_init(device) == 0,
      functions.nfc_device_set_property_bool(device, CNFC_INFINITE_SELECT, false) == 0,
      functions.nfc_device_set_property_bool(device, CNFC_AUTO_ISO14443_4, false) == 0
    else { throw chip.failure }
    return chip
  }
}

extension NFCConnection.Bus {
  fileprivate var wiring: String {
    switch self {
    case .uart: "UART (HSU)"
    case .i2c: "I2C"
    case .spi: "SPI"
    }
  }
}

/// An open PN532. The RF field is off between two polls: the tag restarts with each poll, and chip and tag stay cool.
struct PN532 {
  /// Milliseconds for a tag to start up once the field is on.
  private static let settling: Int32 = 5

  private let functions: cnfc_functions
  private let device: OpaquePointer
  private var uid = [UInt8](repeating: 0, count: Int(CNFC_LONGEST_UID))

  fileprivate init(_ functions: cnfc_functions, _ device: OpaquePointer) {
    self.functions = functions
    self.device = device
  }

  /// The error of the library's last call.
  var failure: ReaderFailure {
    let reason = functions.nfc_strerror(device).map { String(cString: $0) } ?? "no reason is given"
    return ReaderFailure("the PN532 does not answer as it should (\(reason)); see to its wires and its power")
  }

  /// Polls once.
  ///
  /// - Returns: The tag's number; nil if there is no tag, or its number is random.
  /// - Throws: `ReaderFailure` if the chip does not answer correctly.
  mutating func look() throws(ReaderFailure) -> TagID? {
    guard functions.nfc_device_set_property_bool(device, CNFC_FIELD, true) == 0 else { throw failure }
    _ = poll(nil, 0, Self.settling)
    var functions = functions
    let length = cnfc_find(&functions, device, &uid)
    guard length >= 0 else { throw failure }
    guard functions.nfc_device_set_property_bool(device, CNFC_FIELD, false) == 0 else { throw failure }
    return TagID(uid: Array(uid.prefix(Int(length))))
  }
}
