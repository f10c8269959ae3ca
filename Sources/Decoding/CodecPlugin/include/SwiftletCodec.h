// The C ABI between Swiftlet's worker process and a codec plugin. See ../README.md for the guide.
// Runs in the worker only, one thread, inside the sandbox; no function may open, fork or print.
#ifndef SWIFTLET_CODEC_H
#define SWIFTLET_CODEC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The ABI's version. A host loads tables of SWIFTLET_CODEC_OLDEST_ABI and later; it refuses others by name and never calls them.
/// Version 2 added genre, date and disc number to swiftlet_stream_info, and later `measure`; version 3 added `describe`.
#define SWIFTLET_CODEC_ABI 3u
#define SWIFTLET_CODEC_OLDEST_ABI 1u

/// The one symbol a plugin exports; its type is `swiftlet_codec_entry_fn`.
#define SWIFTLET_CODEC_ENTRY "swiftlet_codec_entry"

/// "The value is not known": total frames, bit depth, track number, gains.
#define SWIFTLET_UNKNOWN_FRAMES INT64_MIN
#define SWIFTLET_UNKNOWN_GAIN (-1000.0f)

/// "The chapter has no end of its own."
#define SWIFTLET_UNKNOWN_TIME INT64_MIN

/// Bytes that a text field holds, the terminating NUL included. UTF-8; longer text is cut at a character.
#define SWIFTLET_TEXT_SIZE 256

/// Values of a tag, values of all tags in bytes, chapters of a stream, and titles of all chapters in bytes: what a host keeps at most.
#define SWIFTLET_MAX_VALUES 16
#define SWIFTLET_MAX_VALUE_BYTES 3072
#define SWIFTLET_MAX_CHAPTERS 1024
#define SWIFTLET_MAX_CHAPTER_BYTES 65536

/// What a call answers. Zero and above are successes (a count of frames where one is asked for).
enum swiftlet_codec_status {
  SWIFTLET_OK = 0,
  /// The bytes are not this codec's, or a variant it does not decode.
  SWIFTLET_ERROR_UNSUPPORTED = -1,
  /// The bytes are damaged beyond what can be played from here on.
  SWIFTLET_ERROR_CORRUPT = -2,
  /// Encrypted or otherwise protected content.
  SWIFTLET_ERROR_PROTECTED = -3,
  /// The I/O table reported an error.
  SWIFTLET_ERROR_READ = -4,
  /// The codec library ran out of memory.
  SWIFTLET_ERROR_MEMORY = -5,
  /// The stream cannot seek (or not to there).
  SWIFTLET_ERROR_NOT_SEEKABLE = -6,
};

/// How a plugin reads its file. All functions take `context` back; the descriptor itself stays hidden.
struct swiftlet_io {
  void *context;
  /// Reads up to `size` bytes at the current offset: bytes read, 0 at the end, negative on an error.
  int64_t (*read)(void *context, void *buffer, size_t size);
  /// Moves the current offset to `offset` bytes from the start: 0, or negative on an error.
  int32_t (*seek)(void *context, int64_t offset);
  /// The current offset in bytes from the start.
  int64_t (*tell)(void *context);
  /// The file's length in bytes, or -1 if it has none.
  int64_t (*length)(void *context);
};

/// What a stream is. The plugin fills it in `open`; encoder delay and padding are already trimmed from
/// `total_frames` and never appear in decoded output.
struct swiftlet_stream_info {
  /// Frames a second, 1 to 768000.
  uint32_t rate;
  /// Channels, 1 to 8. Order as in WAVE (front left, front right, centre, LFE, ...).
  uint32_t channels;
  /// Bits a sample has in the source (8, 16, 24, 32), 0 where that means nothing (lossy codecs).
  uint32_t bits;
  /// 1 if samples are floating point in the source.
  uint32_t is_float;
  /// Frames of the whole track, or SWIFTLET_UNKNOWN_FRAMES.
  int64_t total_frames;
  /// 1 if `seek` works.
  uint32_t can_seek;
  /// Track number on its album, 0 if unknown.
  uint32_t track_number;
  /// ReplayGain 2.0 reference (-18 LUFS) in dB; R128 tags are converted (+5 dB). SWIFTLET_UNKNOWN_GAIN if absent.
  float track_gain_db;
  float album_gain_db;
  /// Linear peaks, 1.0 is full scale; 0 if absent.
  float track_peak;
  float album_peak;
  /// What the stream is called in a sentence, such as "FLAC" or "MPEG-1 layer III".
  char format[SWIFTLET_TEXT_SIZE];
  char title[SWIFTLET_TEXT_SIZE];
  char artist[SWIFTLET_TEXT_SIZE];
  char album[SWIFTLET_TEXT_SIZE];
  char album_artist[SWIFTLET_TEXT_SIZE];
  char genre[SWIFTLET_TEXT_SIZE];
  /// When it was released, as the file has it: a year, or more exactly.
  char date[SWIFTLET_TEXT_SIZE];
  /// Which disc of its album it is on, 0 if unknown.
  uint32_t disc_number;
};

/// What `measure` has found out about a stream.
struct swiftlet_extent {
  /// Frames of the stream as `decode` counts them: all of them once it is measured, until then as many as were counted.
  int64_t frames;
  /// The offset of the byte at which the file continues with another stream, on which a new decoder can be opened; 0 where the file
  /// does not. Of meaning once the stream is measured.
  int64_t next;
};

/// Tags that may have several values, named as their fields in swiftlet_stream_info.
enum swiftlet_tag {
  SWIFTLET_TAG_TITLE = 0,
  SWIFTLET_TAG_ARTIST = 1,
  SWIFTLET_TAG_ALBUM = 2,
  SWIFTLET_TAG_ALBUM_ARTIST = 3,
  SWIFTLET_TAG_GENRE = 4,
  SWIFTLET_TAG_DATE = 5,
};

/// Receives what `describe` reports. All functions take `context` back, copy the text before they return, and return 0, or a negative
/// status for what is not kept: beyond the bounds above, of an unknown tag, without a place in the stream.
struct swiftlet_details {
  void *context;
  /// One value of a tag (enum swiftlet_tag), UTF-8, `size` bytes without a terminator. Values keep the order of the calls.
  int32_t (*value)(void *context, uint32_t tag, const char *text, size_t size);
  /// One chapter. Milliseconds from the stream's first decoded frame; `end` may be SWIFTLET_UNKNOWN_TIME. In any order: the host sorts
  /// by start. The title is UTF-8, `size` bytes without a terminator, and may be empty.
  int32_t (*chapter)(void *context, int64_t start, int64_t end, const char *title, size_t size);
};

/// A decoder at work; the plugin's own.
typedef struct swiftlet_decoder swiftlet_decoder;

/// The table that a plugin's entry point returns; constant, never freed. Lists end with NULL.
struct swiftlet_codec {
  /// SWIFTLET_CODEC_ABI of the header that the plugin was compiled with.
  uint32_t abi;
  /// sizeof(struct swiftlet_codec) as the plugin was compiled: fields beyond it do not exist.
  uint32_t size;
  const char *name;
  const char *version;
  const char *const *extensions;
  const char *const *mime_types;
  /// How sure it is that a file beginning with these bytes is its own, 0 to 100. At least the first
  /// 4096 bytes of the file, or the whole if it is shorter. A magic number found is 90 or more,
  /// a pattern that other formats could also show 50 or less.
  int32_t (*probe)(const uint8_t *bytes, size_t size);
  /// Opens a stream that starts at offset 0. On success `*decoder` and `*info` are filled and 0 is
  /// returned; else a negative status, nothing to close, and a sentence in `error` (never empty).
  int32_t (*open)(const struct swiftlet_io *io, swiftlet_decoder **decoder,
                  struct swiftlet_stream_info *info, char *error, size_t error_size);
  /// Decodes up to `frames` frames, interleaved, `info.channels` samples each, full scale at 1.0.
  /// Integers of up to 24 bits arrive exactly (x / 2^(bits-1)). Frames written, 0 at the end of the
  /// stream, or a negative status with a sentence for `last_error`. Damage that can be skipped is skipped.
  int64_t (*decode)(swiftlet_decoder *decoder, float *samples, size_t frames);
  /// Goes to `frame` exactly (0 is the first frame after trimming): the next decode starts there.
  int32_t (*seek)(swiftlet_decoder *decoder, int64_t frame);
  /// A sentence about the latest error, valid until the next call; never NULL.
  const char *(*last_error)(swiftlet_decoder *decoder);
  void (*close)(swiftlet_decoder *decoder);
  /// Finds out where a stream of a file ends, reading about `bytes` bytes, and leaves the next frame of `decode` as it is. With `bytes`
  /// 0 it reads nothing on and answers what is known. Returns 1 once the end is known, 0 where more calls are needed, and else a negative
  /// status: SWIFTLET_ERROR_READ or SWIFTLET_ERROR_MEMORY ends the track with that error, every other one means that the end cannot be
  /// known, and the host asks no more of this stream. `extent` is filled where 0 or 1 is returned. `decode` answers 0 at the end of a
  /// stream that another one follows. May be NULL; a table that ends before it is valid.
  int32_t (*measure)(swiftlet_decoder *decoder, size_t bytes, struct swiftlet_extent *extent);
  /// Reports what swiftlet_stream_info has no room for: all values of each tag that has several, the first one included, and chapters. Called
  /// after `open` and before `decode`, once or not at all; reads nothing. Returns 0, or a negative status, which costs the details and not
  /// the track. A tag that it reports no value of keeps its field's. May be NULL; a table of version 1 or 2, or one that ends before it, is
  /// valid.
  int32_t (*describe)(swiftlet_decoder *decoder, const struct swiftlet_details *details);
};

typedef const struct swiftlet_codec *(*swiftlet_codec_entry_fn)(void);

#ifdef __cplusplus
}
#endif
#endif
