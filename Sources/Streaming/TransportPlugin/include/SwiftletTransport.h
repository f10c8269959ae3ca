// The C ABI of transport plugins, which download the bytes of a URL. Runs in the fetcher process only, on one
// thread. All calls except `prepare` run inside the sandbox: they may open internet sockets and read the
// files of resolver and TLS, but not write files or start processes.
#ifndef SWIFTLET_TRANSPORT_H
#define SWIFTLET_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Version of the ABI. A plugin with another version is refused without calling it.
#define SWIFTLET_TRANSPORT_ABI 1u

/// The only symbol that a plugin exports; its type is `swiftlet_transport_entry_fn`.
#define SWIFTLET_TRANSPORT_ENTRY "swiftlet_transport_entry"

/// Unknown length or offset.
#define SWIFTLET_TRANSPORT_UNKNOWN (-1)

/// Size of a text field in bytes, including the terminating NUL; longer text is cut.
#define SWIFTLET_TRANSPORT_TEXT_SIZE 256

/// Status of a call.
enum swiftlet_transport_status {
  /// The transfer is running, or the call has succeeded.
  SWIFTLET_TRANSPORT_OK = 0,
  /// The source has sent all bytes.
  SWIFTLET_TRANSPORT_DONE = 1,
  /// The host name could not be resolved.
  SWIFTLET_TRANSPORT_ERROR_NAME = -1,
  /// No connection could be made.
  SWIFTLET_TRANSPORT_ERROR_CONNECT = -2,
  /// The server's certificate is invalid, or encryption failed.
  SWIFTLET_TRANSPORT_ERROR_TLS = -3,
  /// Timeout of the connection or the response.
  SWIFTLET_TRANSPORT_ERROR_TIME = -4,
  /// The server violates the protocol.
  SWIFTLET_TRANSPORT_ERROR_PROTOCOL = -5,
  /// The headers exceed the limit in the settings.
  SWIFTLET_TRANSPORT_ERROR_TOO_LARGE = -6,
  /// Too many redirects, or a redirect to an unsupported URL.
  SWIFTLET_TRANSPORT_ERROR_REDIRECT = -7,
  /// The connection was lost before the end.
  SWIFTLET_TRANSPORT_ERROR_LOST = -8,
  /// Out of memory.
  SWIFTLET_TRANSPORT_ERROR_MEMORY = -9,
  /// The host ended the transfer.
  SWIFTLET_TRANSPORT_ERROR_REFUSED = -10,
  /// The plugin cannot fetch this URL.
  SWIFTLET_TRANSPORT_ERROR_URL = -11,
};

/// Limits of a transfer. Times are in milliseconds.
struct swiftlet_transport_settings {
  int32_t connect_timeout;
  int32_t most_redirects;
  /// Maximum size in bytes of the headers of one response, including those of redirects.
  int32_t most_header_bytes;
  /// The User-Agent header; never NULL.
  const char *user_agent;
  /// URL of a proxy. Empty for none, regardless of environment variables.
  const char *proxy;
};

/// The headers of a response. Texts are unmodified, without line endings.
struct swiftlet_transport_answer {
  /// Status code, 200 to 599.
  int32_t status;
  /// 1 if the source supports range requests.
  int32_t accepts_ranges;
  /// Offset of the first byte of the body; SWIFTLET_TRANSPORT_UNKNOWN if not stated.
  int64_t first;
  /// Length of the resource in bytes, or SWIFTLET_TRANSPORT_UNKNOWN.
  int64_t length;
  /// Bytes of audio between inline titles (Shoutcast's icy-metaint); 0 without titles.
  int64_t title_interval;
  /// 1 for a live station: no end, and no byte can be requested again.
  int32_t is_station;
  char content_type[SWIFTLET_TRANSPORT_TEXT_SIZE];
  /// A strong ETag or a date, which a later range request sends to detect a change of the resource.
  char validator[SWIFTLET_TRANSPORT_TEXT_SIZE];
  /// Name of the station.
  char station[SWIFTLET_TRANSPORT_TEXT_SIZE];
};

/// The callbacks of the fetcher, called from `run` and `resume` only. All take `context` as their first
/// argument.
struct swiftlet_transport_host {
  void *context;
  /// Receives the headers of a response, once after each `begin`, before any byte. Returns 0, or another
  /// number to end the transfer.
  int32_t (*answered)(void *context, const struct swiftlet_transport_answer *answer);
  /// Receives at most 32 KiB of the body. Returns `size`, or 0 if there is no room: the plugin delivers the
  /// same bytes again after `resume`.
  size_t (*body)(void *context, const uint8_t *bytes, size_t size);
  /// Returns 1 if connecting to an address is permitted, else 0. Must be called before each connection except
  /// those to a proxy, with the resolved address of 4 or 16 bytes in network order, because a name may
  /// resolve differently each time.
  int32_t (*permits)(void *context, const uint8_t *address, size_t size);
  /// Receives the address of each response, including redirects, of a connection without proxy. Must be
  /// called before a redirect is followed.
  void (*answered_from)(void *context, const uint8_t *address, size_t size);
};

/// A transfer; defined by the plugin.
typedef struct swiftlet_transfer swiftlet_transfer;

/// The table that a plugin's entry point returns. Constant and never freed. Lists end with NULL.
struct swiftlet_transport {
  /// SWIFTLET_TRANSPORT_ABI.
  uint32_t abi;
  /// sizeof(struct swiftlet_transport) when the plugin was compiled. The host does not access fields beyond
  /// it.
  uint32_t size;
  const char *name;
  const char *version;
  const char *const *schemes;
  /// Initialises the plugin before the sandbox closes. Returns 0 or a negative status.
  int32_t (*prepare)(void);
  /// Creates an idle transfer. Returns 0 with `*transfer` filled, or a negative status. Settings and host
  /// stay valid until `close`.
  int32_t (*open)(const struct swiftlet_transport_settings *settings, const struct swiftlet_transport_host *host,
                  swiftlet_transfer **transfer);
  /// Requests a URL's bytes from an offset on, cancelling a previous request. `validator` is that of an
  /// earlier response, or NULL: a resource that has changed is sent from its beginning.
  int32_t (*begin)(swiftlet_transfer *transfer, const char *url, int64_t offset, const char *validator);
  /// Continues the transfer, then waits until there is more to do, one of the descriptors is readable, or the
  /// timeout expires (-1: none).
  int32_t (*run)(swiftlet_transfer *transfer, const int32_t *descriptors, size_t count, int32_t milliseconds);
  /// Continues after `body` returned 0, once there is room.
  int32_t (*resume)(swiftlet_transfer *transfer);
  /// Cancels the present request.
  void (*stop)(swiftlet_transfer *transfer);
  /// Returns a sentence about the latest error, without the URL; valid until the next call; never NULL.
  const char *(*last_error)(swiftlet_transfer *transfer);
  void (*close)(swiftlet_transfer *transfer);
  /// Returns the URL that has responded, after all redirects, against which relative references are resolved.
  /// Valid until the next call; NULL if unknown. May be beyond `size`.
  const char *(*location)(swiftlet_transfer *transfer);
};

typedef const struct swiftlet_transport *(*swiftlet_transport_entry_fn)(void);

#ifdef __cplusplus
}
#endif
#endif
