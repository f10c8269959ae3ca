// The C ABI between Swiftlet's fetcher process and a transport plugin, which brings the bytes of a URL. Runs in the fetcher only, which
// has one thread; all but `prepare` inside its sandbox, where files can be read and sockets opened, and nothing can be written or started.
#ifndef SWIFTLET_TRANSPORT_H
#define SWIFTLET_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The ABI's version. A plugin whose table says another is refused by name, never called.
#define SWIFTLET_TRANSPORT_ABI 1u

/// The one symbol a plugin exports; its type is `swiftlet_transport_entry_fn`.
#define SWIFTLET_TRANSPORT_ENTRY "swiftlet_transport_entry"

/// "The value is not known": lengths and offsets.
#define SWIFTLET_TRANSPORT_UNKNOWN (-1)

/// Bytes that a text field holds, the terminating NUL included; what is longer is cut.
#define SWIFTLET_TRANSPORT_TEXT_SIZE 256

/// What a call answers.
enum swiftlet_transport_status {
  /// The transfer is under way, or an order was carried out.
  SWIFTLET_TRANSPORT_OK = 0,
  /// The source has sent all that it had to send.
  SWIFTLET_TRANSPORT_DONE = 1,
  /// The host's name is not known.
  SWIFTLET_TRANSPORT_ERROR_NAME = -1,
  /// Nothing could be connected to.
  SWIFTLET_TRANSPORT_ERROR_CONNECT = -2,
  /// The server's identity could not be established, or the encryption failed.
  SWIFTLET_TRANSPORT_ERROR_TLS = -3,
  /// The connection, or its answer, took too long.
  SWIFTLET_TRANSPORT_ERROR_TIME = -4,
  /// The other side does not speak the protocol.
  SWIFTLET_TRANSPORT_ERROR_PROTOCOL = -5,
  /// Headers are larger than the settings allow.
  SWIFTLET_TRANSPORT_ERROR_TOO_LARGE = -6,
  /// Redirected more often than the settings allow, or to what is no such URL.
  SWIFTLET_TRANSPORT_ERROR_REDIRECT = -7,
  /// The connection broke before the end.
  SWIFTLET_TRANSPORT_ERROR_LOST = -8,
  /// No memory.
  SWIFTLET_TRANSPORT_ERROR_MEMORY = -9,
  /// The host's functions refused what came.
  SWIFTLET_TRANSPORT_ERROR_REFUSED = -10,
  /// The URL is none that the plugin can fetch.
  SWIFTLET_TRANSPORT_ERROR_URL = -11,
};

/// Bounds that hold for all that a transfer does. Times are in milliseconds.
struct swiftlet_transport_settings {
  int32_t connect_timeout;
  int32_t most_redirects;
  /// Bytes of the headers of one answer, those of redirections included.
  int32_t most_header_bytes;
  /// How the program calls itself; never NULL.
  const char *user_agent;
  /// A proxy's URL; an empty text for none, whatever the environment says.
  const char *proxy;
};

/// What a source says of itself before its first byte. Texts are as they came, without line ends.
struct swiftlet_transport_answer {
  /// 200 to 599.
  int32_t status;
  /// 1 if it takes requests for parts.
  int32_t accepts_ranges;
  /// The offset of the first byte that follows, as the source says; SWIFTLET_TRANSPORT_UNKNOWN where it does not.
  int64_t first;
  /// Bytes of the whole, or SWIFTLET_TRANSPORT_UNKNOWN.
  int64_t length;
  /// Bytes of sound between two titles in the stream (Shoutcast's icy-metaint); 0 without titles.
  int64_t title_interval;
  /// 1 if it is a station, which has no end and gives no byte twice.
  int32_t is_station;
  char content_type[SWIFTLET_TRANSPORT_TEXT_SIZE];
  /// What a later request gives back, to get the same bytes or all of others: a strong ETag or a date.
  char validator[SWIFTLET_TRANSPORT_TEXT_SIZE];
  /// What the station calls itself.
  char station[SWIFTLET_TRANSPORT_TEXT_SIZE];
};

/// The fetcher's side. All functions take `context` back and are called from `run` only.
struct swiftlet_transport_host {
  void *context;
  /// The source has answered; follows once after each `begin`, before any byte. 0, or another number to end the transfer.
  int32_t (*answered)(void *context, const struct swiftlet_transport_answer *answer);
  /// Bytes came, 32 KiB at most. Answers `size`, or 0 where there is no room: the same bytes come again after `resume`.
  size_t (*body)(void *context, const uint8_t *bytes, size_t size);
  /// Whether an address may be connected to: 1 or 0. To be asked before each connection but those to a proxy, with the address itself, of 4
  /// or 16 bytes in network order: a name may lead elsewhere from one moment to the next.
  int32_t (*permits)(void *context, const uint8_t *address, size_t size);
  /// An address has answered, by a redirection or with what was asked for. To be called for each answer of a connection without a proxy,
  /// before its redirection is followed.
  void (*answered_from)(void *context, const uint8_t *address, size_t size);
};

/// A transfer; the plugin's own.
typedef struct swiftlet_transfer swiftlet_transfer;

/// The table that a plugin's entry point returns; constant, never freed. Lists end with NULL.
struct swiftlet_transport {
  /// SWIFTLET_TRANSPORT_ABI.
  uint32_t abi;
  /// sizeof(struct swiftlet_transport) as the plugin was compiled: fields beyond it do not exist.
  uint32_t size;
  const char *name;
  const char *version;
  const char *const *schemes;
  /// Does what has to be done before the sandbox closes; 0, or a negative status.
  int32_t (*prepare)(void);
  /// Makes a transfer that does nothing yet. On success `*transfer` is filled and 0 is returned. Settings and host stay valid until
  /// `close`.
  int32_t (*open)(const struct swiftlet_transport_settings *settings, const struct swiftlet_transport_host *host,
                  swiftlet_transfer **transfer);
  /// Asks for a URL's bytes from an offset on; what was under way ends. `validator` is that of an earlier answer, or NULL: bytes of
  /// what has changed since come from the beginning.
  int32_t (*begin)(swiftlet_transfer *transfer, const char *url, int64_t offset, const char *validator);
  /// Moves the transfer on, then waits until there is more to do, one of the descriptors is readable, or the time is over (-1: for ever).
  int32_t (*run)(swiftlet_transfer *transfer, const int32_t *descriptors, size_t count, int32_t milliseconds);
  /// There is room again after `body` had answered 0.
  int32_t (*resume)(swiftlet_transfer *transfer);
  /// Ends what is under way.
  void (*stop)(swiftlet_transfer *transfer);
  /// A sentence about the latest error, without the URL; valid until the next call; never NULL.
  const char *(*last_error)(swiftlet_transfer *transfer);
  void (*close)(swiftlet_transfer *transfer);
  /// The URL that has answered, behind all redirections, against which what it names is resolved; valid until the next call; NULL where it
  /// is not known. Tables of a size that ends before it have none.
  const char *(*location)(swiftlet_transfer *transfer);
};

typedef const struct swiftlet_transport *(*swiftlet_transport_entry_fn)(void);

#ifdef __cplusplus
}
#endif
#endif
