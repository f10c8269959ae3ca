// Internals of the virtual card. Shared by Open.c, Settings.c (configuration), Clock.c (position, faults, recording),
// Plugin.c (libasound callbacks), Wait.c (poll) and Info.c (flags of hw_params).
#ifndef SWIFTLET_CARD_H
#define SWIFTLET_CARD_H

#define _GNU_SOURCE
#define PIC  // for a plugin that is a shared object
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <pthread.h>
#include <stdint.h>

#include "SwiftletVirtualCard.h"

#define CARD_MAX_FORMATS 8
#define CARD_PATH 512

struct card_settings {
  char record[CARD_PATH], control[CARD_PATH], wake[CARD_PATH];
  unsigned formats[CARD_MAX_FORMATS], format_count;
  unsigned rates[CARD_MAX_FORMATS], rate_count;  // none: rate_min to rate_max
  unsigned accesses[CARD_MAX_FORMATS], access_count;
  long channels_min, channels_max, rate_min, rate_max;
  long period_min, period_max, buffer_min, buffer_max, periods_min, periods_max;
  long granularity, prefetch, fifo, batch, pause, resume, silence, thread, quiet_loss;
  double speed;
};

struct card {
  snd_pcm_ioplug_t io;
  struct card_settings settings;
  struct SwiftletVirtualCardControl *control;
  int control_fd, record_fd, timer_fd, wake_fd;

  pthread_mutex_t lock;
  pthread_t thread;
  int has_thread, thread_stop;

  size_t frame_bytes;
  snd_pcm_uframes_t boundary, avail_min, stop_threshold;
  int no_period_wakeup;

  // The clock: frame anchor_frame plays at anchor_time. Frames count from prepare.
  int running;
  uint64_t anchor_time, anchor_frame, last_time, ppm;
  uint64_t heard, recorded, reported;
  uint64_t record_base;  // recording index of frame 0
  uint64_t seen_appl;
  int fault;  // 0, or the positive errno with which the stream has stopped
  uint64_t armed;
  uint64_t unplugs, xruns, suspends, stalls, speeds;  // requests already handled
};

int card_settings_read(struct card_settings *settings, snd_config_t *conf);

uint64_t card_now(void);
void card_add(uint64_t *counter, uint64_t amount);
/// Brings recording, faults and clock up to `now`. Caller holds the lock.
void card_advance(struct card *card, uint64_t now);
void card_clock_start(struct card *card, uint64_t now, unsigned mark);
void card_clock_stop(struct card *card, uint64_t now, unsigned mark);
/// Discards frames that were fetched but never played.
void card_discard_prefetched(struct card *card);
uint64_t card_position(const struct card *card, uint64_t now);
uint64_t card_time_of(const struct card *card, uint64_t frame);
/// The position that the card reports.
uint64_t card_visible(const struct card *card);

#define CARD_NEVER UINT64_MAX
/// Sets the timer that poll waits on to a time, CARD_NEVER, or 0 for immediately.
void card_arm(struct card *card, uint64_t time);
/// Sets the timer by state and room. Like hardware, it checks for room at period boundaries. `refilling`: the client is
/// about to fill the buffer; the next event is when that has made room again.
void card_arm_for_client(struct card *card, int refilling);
/// Sets the state that libasound shows according to the fault.
void card_show_fault(struct card *card);
void card_publish_state(struct card *card);
int card_poll_descriptors(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned space);
int card_poll_revents(
  snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count, unsigned short *revents);

extern const snd_pcm_ioplug_callback_t card_callbacks;
void card_free(struct card *card);

unsigned card_info_flags(const void *hw_params);
void card_info_change(void *hw_params, int batch, int no_pause);

#endif
