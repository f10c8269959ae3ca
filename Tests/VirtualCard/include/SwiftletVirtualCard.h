// The control file of the virtual sound card, by which a test controls a card that another thread or process
// plays on. Memory-mapped by both sides; all words have 64 bits and are accessed atomically, without a lock.
//
// The card is an ALSA external I/O plugin. alsa-lib loads it through a configuration such as
//
//   pcm_type.swiftlet { lib "/path/libSwiftletVirtualCard.so" }
//   pcm.virtual {
//     type swiftlet
//     record "/tmp/x.raw"      # the output; each open appends to it
//     control "/tmp/x.ctl"     # this file; created if missing
//     wake "/tmp/x.fifo"       # optional FIFO: a byte written to it wakes a client that polls the card
//     settings "/tmp/x.conf"   # optional: a file with any of the keys below; keys given here override it
//     formats "S16_LE S32_LE"  # at most eight; default S16_LE S24_LE S24_3LE S32_LE FLOAT_LE
//     access "RW_NONINTERLEAVED"  # default "MMAP_INTERLEAVED RW_INTERLEAVED"; the recording is always interleaved
//     channels_min 1  channels_max 2
//     rate_min 8000   rate_max 192000    # or: rates "48000 96000", only these
//     period_min 16   period_max 48000   # frames; exact only with one format and one channel count, since
//     buffer_min 32   buffer_max 96000   # an ioplug limits bytes: the smallest and largest frame count here
//     periods_min 2   periods_max 1024
//     speed 1.0          # speed of the card's clock relative to CLOCK_MONOTONIC
//     granularity 1      # granularity of the reported position in frames; -1: one period
//     prefetch 0         # frames fetched ahead of playback; they can no longer be rewritten
//     fifo 0             # frames behind the buffer that snd_pcm_delay adds
//     batch 0            # 1: is_batch returns 1 once hw_params have been set
//     pause 1  resume 1  # 0: not supported
//     quiet_loss 0       # how a loss is signaled: 0 every call; 1 the state and calls that change it;
//                        # 2 only prepare, start and the like, while the position does not advance
//     past_end "buffer"  # played where the client wrote nothing (stop threshold at the boundary): the
//                        # buffer's content, as by hardware, or "silence"
//     thread 0           # 1: the card's own thread records every millisecond
//   }
//
// Without the thread the card reads its clock whenever libasound calls it, which is before every snd_pcm_writei,
// so a late rewrite through read/write access is recorded as late. A client that writes through mmap behind the
// play position without a call is detected only with `thread 1`. The thread wakes a thousand times a second in the
// client's process, so it cannot be used when counting wakeups.
//
// Only one handle may be open at a time (-EBUSY), as with a hardware substream.
//
// What the client sees (alsa-lib 1.2.8), and where an ioplug differs from hardware:
// - snd_pcm_type: IOPLUG. is_batch: 0 while the configuration space is open, as configured once hw_params
//   are set. can_disable_period_wakeup: always 0 (libasound writes it), so the card wakes poll at period
//   boundaries where avail has reached avail_min; a client that sets no-period-wakeup nevertheless gets none.
// - snd_pcm_rewindable is correct as of the last snd_pcm_avail. snd_pcm_rewind grants any count, even
//   behind the play position, where the kernel limits it: `late_rewinds` counts those. An ioplug has no
//   callback for rewinding, so refusing needs a plugin in front (type rate, same rate: rewinds 0, same samples).
// - xrun: XRUN, -EPIPE. suspend: SUSPENDED, -ESTRPIPE. unplugged: DISCONNECTED, -ENODEV from every call, drop
//   and prepare included; it can only be closed. poll: POLLOUT|POLLERR, when unplugged POLLERR|POLLNVAL.
//   The state changes at the next call of libasound, not by itself.
// - snd_pcm_resume always returns 0. snd_pcm_drain of an unplugged card returns 0, too.
// - snd_pcm_avail_update queries the card; on hw: devices it does not. A client must use snd_pcm_avail.
// - A write is short only if libasound limits it: non-blocking and longer than avail. `avail_limit` and
//   `granularity` make avail small and late.
#ifndef SWIFTLET_VIRTUAL_CARD_H
#define SWIFTLET_VIRTUAL_CARD_H

#include <stdint.h>

#define SWIFTLET_VIRTUAL_CARD_MAGIC UINT64_C(0x3164726143746653)
#define SWIFTLET_VIRTUAL_CARD_LOG 1024

/// The kind of a log entry.
enum SwiftletVirtualCardMark {
  SWIFTLET_CARD_START = 1,
  SWIFTLET_CARD_STOP = 2,
  SWIFTLET_CARD_XRUN = 3,
  SWIFTLET_CARD_PAUSE = 4,
  SWIFTLET_CARD_RESUME = 5,
  SWIFTLET_CARD_SUSPEND = 6,
  SWIFTLET_CARD_LOST = 7,
  SWIFTLET_CARD_SPEED = 8,
  SWIFTLET_CARD_STALL = 9,
  SWIFTLET_CARD_DRAINED = 10,
};

/// From `time` on, frame `frame` of the recording plays, followed by `rate` frames per second.
struct SwiftletVirtualCardMoment {
  uint64_t time;   ///< CLOCK_MONOTONIC, nanoseconds.
  uint64_t frame;  ///< Index in the recording.
  uint64_t rate;   ///< Thousandths of a frame a second; 0 while nothing plays.
  uint64_t mark;   ///< enum SwiftletVirtualCardMark.
};

/// A requested fault: first set `at` and its parameters, then increment `count`.
///
/// `at` is CLOCK_MONOTONIC in nanoseconds: the card behaves as if the fault had happened then, even if it is noticed
/// later (but not before what it has already recorded). 0: when it is noticed.
struct SwiftletVirtualCardFault {
  uint64_t count;
  uint64_t at;
};

/// The control file. The test writes the first part, the card the rest.
struct SwiftletVirtualCardControl {
  uint64_t magic;  ///< SWIFTLET_VIRTUAL_CARD_MAGIC, written by the creator of the file.

  // Written by the test.
  uint64_t absent;      ///< 1: unplugged. Opening fails with ENODEV (or open_error).
  uint64_t open_error;  ///< Not 0: opening fails with this errno.
  struct SwiftletVirtualCardFault unplug;  ///< Every open handle fails permanently, all calls return ENODEV.
  struct SwiftletVirtualCardFault xrun;    ///< Playing stops with EPIPE; ignored when not playing.
  struct SwiftletVirtualCardFault suspend; ///< ESTRPIPE until resumed or prepared.
  struct SwiftletVirtualCardFault stall;   ///< The clock stops for stall_time.
  uint64_t stall_time;                     ///< Nanoseconds.
  struct SwiftletVirtualCardFault speed;   ///< The clock continues at speed_ppm.
  uint64_t speed_ppm;                      ///< ppm of the nominal rate; 0 as configured.
  uint64_t avail_limit;  ///< Not 0: the reported position lags so that avail never exceeds this.

  // Written by the card: counters.
  uint64_t opens, refused_opens, closes, hw_params, prepares, starts, stops, pauses, resumes;
  uint64_t drains;          ///< Streams that ended in a drain.
  uint64_t xruns, suspends, losses;
  uint64_t rewinds;         ///< How often the client's pointer was seen to go back.
  uint64_t rewound_frames;  ///< Total number of frames.
  uint64_t late_rewinds;    ///< Those to behind the play position, which hardware refuses.
  uint64_t recorded_frames; ///< Frames in the recording.
  uint64_t empty_frames;    ///< Those played where the client had written nothing.
  uint64_t poll_wakeups;    ///< Times poll woke a client for the card.
  uint64_t position_reads;  ///< Times libasound read the position.

  // Written by the card: the present state.
  uint64_t state;           ///< snd_pcm_state_t as last reported to libasound.
  uint64_t hw_position;     ///< Frames played since prepare, as reported.
  uint64_t appl_position;   ///< Frames the client has queued since prepare, as last seen.
  uint64_t format, channels, rate, period_size, buffer_size;  ///< As set; format is snd_pcm_format_t.
  uint64_t frame_bytes, avail_min, start_threshold, stop_threshold;
  uint64_t no_period_wakeup;  ///< The client disabled period wakeups.

  // Written by the card: how the recording maps to time. Entry n is at n % SWIFTLET_VIRTUAL_CARD_LOG.
  uint64_t log_count;
  struct SwiftletVirtualCardMoment log[SWIFTLET_VIRTUAL_CARD_LOG];
};

/// Reads a word with acquire ordering: earlier writes of the other side are visible, too.
static inline uint64_t swiftlet_card_load(const uint64_t *word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/// Writes a word with release ordering, after all earlier writes.
static inline void swiftlet_card_store(uint64_t *word, uint64_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

#endif
