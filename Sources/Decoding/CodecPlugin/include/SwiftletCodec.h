// The C ABI of codec plugins. ../README.md is the guide for authors.
// The plugin runs in the worker process only, on one thread, inside the sandbox; its functions must not open
// files, start processes or print.
#ifndef SWIFTLET_CODEC_H
#define SWIFTLET_CODEC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Version of the ABI. A host accepts tables from SWIFTLET_CODEC_OLDEST_ABI to its own version, and refuses
/// others without calling them.
/// Version 2 added genre, date and disc number to swiftlet_stream_info, and later `measure`; version 3 added
/// `describe`; version 4 added `far_reads` to swiftlet_io.
#define SWIFTLET_CODEC_ABI 4u
#define SWIFTLET_CODEC_OLDEST_ABI 1u

/// The only symbol that a plugin exports; its type is `swiftlet_codec_entry_fn`.
#define SWIFTLET_CODEC_ENTRY "swiftlet_codec_entry"

/// Unknown number of frames, and unknown gain.
#define SWIFTLET_UNKNOWN_FRAMES INT64_MIN
#define SWIFTLET_UNKNOWN_GAIN (-1000.0f)

/// A chapter without a stated end.
#define SWIFTLET_UNKNOWN_TIME INT64_MIN

/// Size of a text field in bytes, including the terminating NUL. UTF-8; longer text is cut at a character.
#define SWIFTLET_TEXT_SIZE 256

/// Limits of the host: values of one tag, bytes of all tag values, chapters of a stream, and bytes of all
/// chapter titles.
#define SWIFTLET_MAX_VALUES 16
#define SWIFTLET_MAX_VALUE_BYTES 3072
#define SWIFTLET_MAX_CHAPTERS 1024
#define SWIFTLET_MAX_CHAPTER_BYTES 65536

/// Status of a call. Zero and positive values are successes (a number of frames for `decode`).
enum swiftlet_codec_status {
  SWIFTLET_OK = 0,
  /// The data has another format, or a variant that this codec does not decode.
  SWIFTLET_ERROR_UNSUPPORTED = -1,
  /// The data is too damaged to continue from here.
  SWIFTLET_ERROR_CORRUPT = -2,
  /// The content is encrypted.
  SWIFTLET_ERROR_PROTECTED = -3,
  /// The I/O table returned an error.
  SWIFTLET_ERROR_READ = -4,
  /// The codec library ran out of memory.
  SWIFTLET_ERROR_MEMORY = -5,
  /// The stream cannot seek, or not to the requested frame.
  SWIFTLET_ERROR_NOT_SEEKABLE = -6,
};

/// Cost of a read far from the current offset.
enum swiftlet_far_reads {
  /// That of any other read: a local file, or a file that is almost completely here.
  SWIFTLET_FAR_READS_CHEAP = 0,
  /// A request to a server, which takes a part of a second, and another one to return.
  SWIFTLET_FAR_READS_REQUEST = 1,
  /// A read waits until all bytes before it have arrived, and there may be no way back.
  SWIFTLET_FAR_READS_WAIT = 2,
};

/// The plugin's access to the media file. All functions take `context` as their first argument.
struct swiftlet_io {
  void *context;
  /// Reads up to `size` bytes at the current offset. Returns the number of bytes, 0 at end of file, negative
  /// on error.
  int64_t (*read)(void *context, void *buffer, size_t size);
  /// Sets the current offset, in bytes from the start. Returns 0, or negative on error.
  int32_t (*seek)(void *context, int64_t offset);
  /// Returns the current offset in bytes from the start.
  int64_t (*tell)(void *context);
  /// Returns the length of the file in bytes, or -1 if it is unknown.
  int64_t (*length)(void *context);
  /// Returns the cost of far reads (enum swiftlet_far_reads); constant while the file is open. In `open`, a
  /// plugin counts frames only if they are cheap, and reads the end of the file only if they need not wait.
  /// NULL means cheap. Access it in plugins of version 4 only.
  int32_t (*far_reads)(void *context);
};

/// Format, length and tags of a stream, filled by the plugin in `open`. Encoder delay and padding are not
/// part of `total_frames` nor of the decoded output.
struct swiftlet_stream_info {
  /// Frames per second, 1 to 768000.
  uint32_t rate;
  /// Number of channels, 1 to 8. In WAVE's order (front left, front right, centre, LFE, ...).
  uint32_t channels;
  /// Bits per sample in the source (8, 16, 24, 32); 0 for lossy codecs.
  uint32_t bits;
  /// 1 if the source's samples are floating point.
  uint32_t is_float;
  /// Exact number of frames that `decode` delivers, or SWIFTLET_UNKNOWN_FRAMES.
  int64_t total_frames;
  /// 1 if `seek` works.
  uint32_t can_seek;
  /// Track number on the album; 0 if unknown.
  uint32_t track_number;
  /// Gain in dB relative to -18 LUFS (ReplayGain 2.0; add 5 dB to R128 tags). SWIFTLET_UNKNOWN_GAIN if
  /// absent.
  float track_gain_db;
  float album_gain_db;
  /// Linear peak, 1.0 is full scale; 0 if absent.
  float track_peak;
  float album_peak;
  /// Name of the format for display, such as "FLAC" or "MPEG-1 layer III".
  char format[SWIFTLET_TEXT_SIZE];
  char title[SWIFTLET_TEXT_SIZE];
  char artist[SWIFTLET_TEXT_SIZE];
  char album[SWIFTLET_TEXT_SIZE];
  char album_artist[SWIFTLET_TEXT_SIZE];
  char genre[SWIFTLET_TEXT_SIZE];
  /// Release date as in the file: a year, or ISO 8601.
  char date[SWIFTLET_TEXT_SIZE];
  /// Disc number of the album; 0 if unknown.
  uint32_t disc_number;
};

/// The result of `measure`.
struct swiftlet_extent {
  /// Number of frames that `decode` delivers: all frames if the end is known, else those counted so far.
  int64_t frames;
  /// Offset in bytes at which another stream begins in the same file, for which the host opens a new decoder;
  /// 0 if none does. Valid only if the end is known.
  int64_t next;
};

/// Tags that may have several values; each corresponds to a field of swiftlet_stream_info.
enum swiftlet_tag {
  SWIFTLET_TAG_TITLE = 0,
  SWIFTLET_TAG_ARTIST = 1,
  SWIFTLET_TAG_ALBUM = 2,
  SWIFTLET_TAG_ALBUM_ARTIST = 3,
  SWIFTLET_TAG_GENRE = 4,
  SWIFTLET_TAG_DATE = 5,
};

/// Receives the report of `describe`. All functions take `context` as their first argument and copy the text.
/// They return 0, or a negative status if they drop the value: above a limit, with an unknown tag, or with an
/// invalid time.
struct swiftlet_details {
  void *context;
  /// Adds a value of a tag (enum swiftlet_tag): `size` bytes of UTF-8 without terminator. The host keeps the
  /// order of the calls.
  int32_t (*value)(void *context, uint32_t tag, const char *text, size_t size);
  /// Adds a chapter, in any order; the host sorts by start. Times are milliseconds from the first decoded
  /// frame; `end` may be SWIFTLET_UNKNOWN_TIME. The title is `size` bytes of UTF-8 without terminator, and
  /// may be empty.
  int32_t (*chapter)(void *context, int64_t start, int64_t end, const char *title, size_t size);
};

/// An open decoder; defined by the plugin.
typedef struct swiftlet_decoder swiftlet_decoder;

/// The table that a plugin's entry point returns. Constant and never freed. Lists end with NULL.
struct swiftlet_codec {
  /// SWIFTLET_CODEC_ABI of the header that the plugin was compiled with.
  uint32_t abi;
  /// sizeof(struct swiftlet_codec) when the plugin was compiled. The host does not access fields beyond it.
  uint32_t size;
  const char *name;
  const char *version;
  const char *const *extensions;
  const char *const *mime_types;
  /// Returns a score of 0 to 100 for a file that begins with `bytes`: its first 4096 bytes or more, or the
  /// whole file if it is shorter. A magic number scores 90 or more; a pattern that other formats may contain,
  /// 50 or less.
  int32_t (*probe)(const uint8_t *bytes, size_t size);
  /// Opens a stream that starts at offset 0. Returns 0 with `*decoder` and `*info` filled; or a negative
  /// status with an error text in `error` (never empty) and nothing to close.
  int32_t (*open)(const struct swiftlet_io *io, swiftlet_decoder **decoder,
                  struct swiftlet_stream_info *info, char *error, size_t error_size);
  /// Decodes up to `frames` frames to interleaved samples, `info.channels` per frame, full scale 1.0.
  /// Integers of up to 24 bits must be exact (x / 2^(bits-1)). Skips damage where possible. Returns the
  /// number of frames, 0 at the end of the stream, or a negative status with an error text in `last_error`.
  int64_t (*decode)(swiftlet_decoder *decoder, float *samples, size_t frames);
  /// Seeks to a frame exactly, counted from 0 after trimming. Returns 0 or a negative status.
  int32_t (*seek)(swiftlet_decoder *decoder, int64_t frame);
  /// Returns a sentence about the latest error, valid until the next call; never NULL.
  const char *(*last_error)(swiftlet_decoder *decoder);
  void (*close)(swiftlet_decoder *decoder);
  /// Searches for the end of the stream in its file, reading about `bytes` bytes; with `bytes` 0, reports
  /// only what is known. Must not change the next frame of `decode`, which returns 0 at the end of a stream
  /// even if another follows in the file. Returns 1 if the end is known and 0 if more calls are needed, with
  /// `extent` filled; or a negative status: SWIFTLET_ERROR_READ and SWIFTLET_ERROR_MEMORY end the track,
  /// others mean that the end cannot be determined, after which the host does not call again. May be NULL or
  /// beyond `size`.
  int32_t (*measure)(swiftlet_decoder *decoder, size_t bytes, struct swiftlet_extent *extent);
  /// Reports the tags with several values, all values including the first, and the chapters. Called at most
  /// once, after `open` and before `decode`; must not read from the file. A tag without reported values keeps
  /// the value of its field. Returns 0, or a negative status, which drops the details but does not fail the
  /// track. May be NULL, or beyond `size`, as in tables of versions 1 and 2.
  int32_t (*describe)(swiftlet_decoder *decoder, const struct swiftlet_details *details);
};

typedef const struct swiftlet_codec *(*swiftlet_codec_entry_fn)(void);

#ifdef __cplusplus
}
#endif
#endif
