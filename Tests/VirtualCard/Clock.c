// The card's clock, its faults and its recording. Runs in each libasound call, and in the card's own thread if it has
// one; always under the card's lock.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "Card.h"

#define SECOND UINT64_C(1000000000)

uint64_t card_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

void card_add(uint64_t *counter, uint64_t amount) {
  __atomic_fetch_add(counter, amount, __ATOMIC_RELEASE);
}

static uint64_t millirate(const struct card *card) { return (uint64_t)card->io.rate * card->ppm / 1000; }

uint64_t card_position(const struct card *card, uint64_t now) {
  if (!card->running || now <= card->anchor_time) return card->running ? card->anchor_frame : card->heard;
  const unsigned __int128 passed = (unsigned __int128)(now - card->anchor_time) * millirate(card);
  return card->anchor_frame + (uint64_t)(passed / (SECOND * 1000));
}

uint64_t card_time_of(const struct card *card, uint64_t frame) {
  if (frame <= card->anchor_frame) return card->anchor_time;
  const unsigned __int128 wait = (unsigned __int128)(frame - card->anchor_frame) * SECOND * 1000;
  return card->anchor_time + (uint64_t)((wait + millirate(card) - 1) / millirate(card));
}

uint64_t card_visible(const struct card *card) {
  const long granularity = card->settings.granularity;
  const uint64_t step = granularity < 0 ? card->io.period_size : (uint64_t)granularity;
  uint64_t position = step > 1 ? card->heard / step * step : card->heard;
  if (card->io.state == SND_PCM_STATE_DRAINING && card->heard >= card->io.appl_ptr) position = card->heard;
  const uint64_t limit = swiftlet_card_load(&card->control->avail_limit);
  if (limit && limit < card->io.buffer_size && position + card->io.buffer_size > card->io.appl_ptr + limit) {
    const uint64_t lagging = card->io.appl_ptr + limit;
    position = lagging > card->io.buffer_size ? lagging - card->io.buffer_size : 0;
  }
  return position > card->reported ? position : card->reported;
}

static void write_log(struct card *card, uint64_t time, uint64_t frame, uint64_t rate, unsigned mark) {
  struct SwiftletVirtualCardControl *control = card->control;
  const uint64_t count = control->log_count;
  struct SwiftletVirtualCardMoment *moment = &control->log[count % SWIFTLET_VIRTUAL_CARD_LOG];
  *moment = (struct SwiftletVirtualCardMoment){time, card->record_base + frame, rate, mark};
  swiftlet_card_store(&control->log_count, count + 1);
}

void card_clock_start(struct card *card, uint64_t now, unsigned mark) {
  card->running = 1;
  card->anchor_time = card->last_time = now;
  card->anchor_frame = card->heard;
  write_log(card, now, card->heard, millirate(card), mark);
}

void card_clock_stop(struct card *card, uint64_t now, unsigned mark) {
  if (!card->running) return;
  card->running = 0;
  write_log(card, now, card->heard, 0, mark);
}

void card_discard_prefetched(struct card *card) {
  if (card->recorded <= card->heard) return;
  const uint64_t surplus = card->recorded - card->heard;
  const off_t end = lseek(card->record_fd, 0, SEEK_END);
  if (ftruncate(card->record_fd, end - (off_t)(surplus * card->frame_bytes)) < 0)
    SNDERR("virtual card: can not shorten the recording: %s", strerror(errno));
  card_add(&card->control->recorded_frames, -surplus);
  card->recorded = card->heard;
}

static void write_all(struct card *card, const char *bytes, size_t size) {
  while (size) {
    const ssize_t written = write(card->record_fd, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      SNDERR("virtual card: can not write the recording: %s", strerror(errno));
      return;
    }
    bytes += written;
    size -= (size_t)written;
  }
}

static void record_silence(struct card *card, uint64_t frames) {
  static const char zeros[8192];
  for (size_t left = frames * card->frame_bytes; left;) {
    const size_t size = left < sizeof zeros ? left : sizeof zeros;
    write_all(card, zeros, size);
    left -= size;
  }
}

static int is_planar(const struct card *card) {
  return card->io.access == SND_PCM_ACCESS_RW_NONINTERLEAVED
         || card->io.access == SND_PCM_ACCESS_MMAP_NONINTERLEAVED;
}

/// Records contiguous frames of the buffer, interleaved whatever the buffer's layout is.
static void record_frames(
  struct card *card, const snd_pcm_channel_area_t *areas, uint64_t first, uint64_t frames) {
  if (!is_planar(card)) {
    const char *ring = (const char *)areas[0].addr + areas[0].first / 8;
    return write_all(card, ring + first * card->frame_bytes, frames * card->frame_bytes);
  }
  char piece[8192];
  const size_t bytes = card->frame_bytes / card->io.channels;
  for (uint64_t n = 0; n < frames;) {
    size_t filled = 0;
    for (; n < frames && filled + card->frame_bytes <= sizeof piece; n++)
      for (unsigned channel = 0; channel < card->io.channels; channel++, filled += bytes)
        memcpy(
          piece + filled,
          (const char *)areas[channel].addr + (areas[channel].first + (first + n) * areas[channel].step) / 8,
          bytes);
    write_all(card, piece, filled);
  }
}

/// Records the buffer's content up to frame `end`.
static void record_until(struct card *card, uint64_t end) {
  const snd_pcm_channel_area_t *areas = snd_pcm_ioplug_mmap_areas(&card->io);
  const uint64_t appl = card->io.appl_ptr, size = card->io.buffer_size;
  if (!areas || end <= card->recorded) return;
  const uint64_t begin = card->recorded;
  while (card->recorded < end) {
    const uint64_t at = card->recorded;
    if (card->settings.silence && at >= appl) {
      record_silence(card, end - at);
      card->recorded = end;
      break;
    }
    uint64_t frames = size - at % size;
    if (frames > end - at) frames = end - at;
    if (card->settings.silence && frames > appl - at) frames = appl - at;
    record_frames(card, areas, at % size, frames);
    card->recorded += frames;
  }
  if (end > appl) card_add(&card->control->empty_frames, end - (appl > begin ? appl : begin));
  card_add(&card->control->recorded_frames, end - begin);
}

static void note_client(struct card *card) {
  const uint64_t appl = card->io.appl_ptr;
  if (appl < card->seen_appl) {
    card_add(&card->control->rewinds, 1);
    card_add(&card->control->rewound_frames, card->seen_appl - appl);
    if (appl < card->reported) card_add(&card->control->late_rewinds, 1);
  }
  card->seen_appl = appl;
  swiftlet_card_store(&card->control->appl_position, appl);
}

/// Plays up to `time`, or to the end of the data.
static void play_until(struct card *card, uint64_t time) {
  if (time > card->last_time) card->last_time = time;
  if (!card->running) return;
  uint64_t position = card_position(card, time), end = UINT64_MAX;
  const uint64_t appl = card->io.appl_ptr, size = card->io.buffer_size;
  const int draining = card->io.state == SND_PCM_STATE_DRAINING;
  if (draining)
    end = appl;
  else if (card->stop_threshold < card->boundary)
    end = appl + card->stop_threshold > size ? appl + card->stop_threshold - size : 0;
  const int ended = position >= end;
  if (ended) position = end > card->heard ? end : card->heard;
  uint64_t fetched = position + (uint64_t)card->settings.prefetch;
  if (fetched > appl) fetched = appl > position ? appl : position;
  record_until(card, fetched);
  card->heard = position;
  if (!ended) return;
  uint64_t end_time = card_time_of(card, position);
  if (end_time > time) end_time = time;
  card_clock_stop(card, end_time, draining ? SWIFTLET_CARD_DRAINED : SWIFTLET_CARD_XRUN);
  if (draining) {
    card_add(&card->control->drains, 1);
  } else {
    card->fault = EPIPE;
    card_add(&card->control->xruns, 1);
  }
}

static void move_anchor(struct card *card, uint64_t time) {
  if (time <= card->anchor_time) return;  // inside a stall
  card->anchor_frame = card_position(card, time);
  card->anchor_time = time;
}

static void stop_with(struct card *card, int fault, uint64_t time, unsigned mark, uint64_t *counter) {
  card_clock_stop(card, time, mark);
  card_discard_prefetched(card);
  card->fault = fault;
  card_add(counter, 1);
}

/// Handles one request.
static void answer(struct card *card, uint64_t *answered, uint64_t count, uint64_t time) {
  struct SwiftletVirtualCardControl *control = card->control;
  *answered = count;
  if (card->fault == ENODEV) return;
  if (answered == &card->unplugs) {
    stop_with(card, ENODEV, time, SWIFTLET_CARD_LOST, &control->losses);
  } else if (answered == &card->xruns && card->running) {
    stop_with(card, EPIPE, time, SWIFTLET_CARD_XRUN, &control->xruns);
  } else if (answered == &card->suspends && card->io.state >= SND_PCM_STATE_PREPARED) {
    stop_with(card, ESTRPIPE, time, SWIFTLET_CARD_SUSPEND, &control->suspends);
  } else if (answered == &card->stalls && card->running) {
    const uint64_t length = swiftlet_card_load(&control->stall_time);
    move_anchor(card, time);
    write_log(card, time, card->anchor_frame, 0, SWIFTLET_CARD_STALL);
    card->anchor_time = (card->anchor_time > time ? card->anchor_time : time) + length;
    write_log(card, card->anchor_time, card->anchor_frame, millirate(card), SWIFTLET_CARD_STALL);
  } else if (answered == &card->speeds) {
    const uint64_t ppm = swiftlet_card_load(&control->speed_ppm);
    if (card->running) move_anchor(card, time);
    card->ppm = ppm ? ppm : (uint64_t)(card->settings.speed * 1e6);
    if (card->running)
      write_log(card, card->anchor_time, card->anchor_frame, millirate(card), SWIFTLET_CARD_SPEED);
  }
}

void card_advance(struct card *card, uint64_t now) {
  struct SwiftletVirtualCardControl *control = card->control;
  const struct { struct SwiftletVirtualCardFault *asked; uint64_t *answered; } requests[] = {
    {&control->stall, &card->stalls}, {&control->speed, &card->speeds}, {&control->suspend, &card->suspends},
    {&control->xrun, &card->xruns}, {&control->unplug, &card->unplugs},
  };
  const size_t kinds = sizeof requests / sizeof *requests;
  note_client(card);
  for (;;) {
    size_t first = kinds;
    uint64_t first_time = UINT64_MAX;
    for (size_t n = 0; n < kinds; n++) {
      if (swiftlet_card_load(&requests[n].asked->count) == *requests[n].answered) continue;
      uint64_t time = swiftlet_card_load(&requests[n].asked->at);
      if (time > now) continue;  // not yet
      if (time < card->last_time) time = card->last_time;
      if (!swiftlet_card_load(&requests[n].asked->at)) time = now;
      if (time < first_time) first_time = time, first = n;
    }
    if (first == kinds) break;
    play_until(card, first_time);
    answer(card, requests[first].answered, swiftlet_card_load(&requests[first].asked->count), first_time);
  }
  play_until(card, now);
}
