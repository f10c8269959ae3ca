// The transport plugin `HTTP`: http and https with libcurl. Fetcher process only, one thread.

import CCurl
import TransportPlugin

private nonisolated(unsafe) let table = makeTable()

/// Entry point of the plugin; see SwiftletTransport.h.
@c(swiftlet_transport_entry) package func transportEntry() -> UnsafePointer<swiftlet_transport>? { table }

private func makeTable() -> UnsafePointer<swiftlet_transport> {
  let schemes = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: 3)
  schemes[0] = cString("http")
  schemes[1] = cString("https")
  schemes[2] = nil
  let table = UnsafeMutablePointer<swiftlet_transport>.allocate(capacity: 1)
  table.initialize(
    to: swiftlet_transport(
      abi: UInt32(SWIFTLET_TRANSPORT_ABI), size: UInt32(MemoryLayout<swiftlet_transport>.size),
      name: cString("HTTP"), version: UnsafePointer(curl_version()), schemes: UnsafePointer(schemes),
      prepare: {
        curl_global_init(CCURL_GLOBAL_DEFAULT) == CURLE_OK ? 0 : SWIFTLET_TRANSPORT_ERROR_MEMORY.rawValue
      },
      open: { settings, host, transfer in
        guard let settings, let host, let transfer,
          let made = HTTPTransfer(settings.pointee, host.pointee)
        else { return SWIFTLET_TRANSPORT_ERROR_MEMORY.rawValue }
        transfer.pointee = OpaquePointer(Unmanaged.passRetained(made).toOpaque())
        return 0
      },
      begin: { transfer, url, offset, validator in
        guard let transfer, let url else { return SWIFTLET_TRANSPORT_ERROR_URL.rawValue }
        return HTTPTransfer.from(transfer).begin(url, from: offset, validator: validator)
      },
      run: { transfer, descriptors, count, milliseconds in
        guard let transfer else { return SWIFTLET_TRANSPORT_ERROR_URL.rawValue }
        return HTTPTransfer.from(transfer)
          .run(UnsafeBufferPointer(start: descriptors, count: count), milliseconds: milliseconds)
      },
      resume: { transfer in
        guard let transfer else { return SWIFTLET_TRANSPORT_ERROR_URL.rawValue }
        return HTTPTransfer.from(transfer).resume()
      },
      stop: { transfer in
        if let transfer { HTTPTransfer.from(transfer).stop() }
      },
      last_error: { transfer in
        guard let transfer else { return cString("There is no transfer.") }
        return HTTPTransfer.from(transfer).lastError
      },
      close: { transfer in
        guard let transfer else { return }
        Unmanaged<HTTPTransfer>.fromOpaque(UnsafeRawPointer(transfer)).release()
      },
      location: { transfer in
        guard let transfer else { return nil }
        return HTTPTransfer.from(transfer).location
      }))
  return UnsafePointer(table)
}

/// A literal as a NUL-terminated C string that lives as long as the plugin.
func cString(_ text: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}
