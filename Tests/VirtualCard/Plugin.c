// The virtual card as libasound sees it: an external I/O plugin. Runs in the client's calls.
//
// With mmap_rw the client writes straight into libasound's buffer and there is no transfer callback: the
// card reads io->appl_ptr and takes frames from the buffer by its clock.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "Card.h"

#define NO_PERIOD_WAKEUP (1u << 2)  // SND_PCM_HW_PARAMS_NO_PERIOD_WAKEUP, kernel ABI
#define NEVER UINT64_MAX

static struct card *card_of(snd_pcm_ioplug_t *io) { return io->private_data; }

static void arm(struct card *card, uint64_t time) {
  if (time == card->armed && time == NEVER) return;
  card->armed = time;
  struct itimerspec spec = {0};
  if (time != NEVER) {
    spec.it_value.tv_sec = (time_t)(time / 1000000000);
    spec.it_value.tv_nsec = (long)(time % 1000000000);
    if (!time) spec.it_value.tv_nsec = 1;
  }
  timerfd_settime(card->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

static int has_room(const struct card *card) {
  return card_visible(card) + card->io.buffer_size >= card->io.appl_ptr + card->avail_min;
}

/// Sets the timer that poll waits on. Hardware looks for room at its period interrupts, so does this.
/// `refilling`: the client is about to fill the buffer; the next event is when that has made room again.
static void arm_for_client(struct card *card, int refilling) {
  const snd_pcm_state_t state = card->io.state;
  if (card->fault) return arm(card, 0);
  if (!card->running) return arm(card, state != SND_PCM_STATE_SETUP && has_room(card) ? 0 : NEVER);
  if (state == SND_PCM_STATE_DRAINING) return arm(card, card_time_of(card, card->io.appl_ptr));
  if (card->no_period_wakeup) return arm(card, NEVER);
  uint64_t frame = card->io.appl_ptr + card->avail_min;
  frame = frame > card->io.buffer_size ? frame - card->io.buffer_size : 0;
  if (has_room(card)) {
    if (!refilling) return arm(card, 0);
    frame = card->heard + card->avail_min;
  }
  const uint64_t period = card->io.period_size;
  frame = (frame + period - 1) / period * period;
  if (frame <= card->heard) frame = (card->heard / period + 1) * period;
  arm(card, card_time_of(card, frame));
}

static void publish_state(struct card *card) {
  swiftlet_card_store(&card->control->state, card->io.state);
}

/// Makes the state agree with the fault. An ioplug can only return an xrun: libasound takes any other error
/// from `pointer` for one. So the state is set by hand, and the pointers are left such that
/// snd_pcm_avail computes the error code that a kernel driver would have returned.
static void show_fault(struct card *card) {
  snd_pcm_ioplug_t *io = &card->io;
  if (card->fault == EPIPE) {
    io->state = SND_PCM_STATE_XRUN;
  } else if (card->fault) {
    io->state = card->fault == ENODEV ? SND_PCM_STATE_DISCONNECTED : SND_PCM_STATE_SUSPENDED;
    io->appl_ptr = 0;
    io->hw_ptr = (snd_pcm_uframes_t)0 - io->buffer_size - (snd_pcm_uframes_t)card->fault;
  }
  publish_state(card);
}

static snd_pcm_sframes_t card_pointer(snd_pcm_ioplug_t *io) {
  struct card *card = card_of(io);
  pthread_mutex_lock(&card->lock);
  card_add(&card->control->position_reads, 1);
  if (card->fault != ENODEV && card->fault != ESTRPIPE) card_advance(card, card_now());
  snd_pcm_sframes_t result = (snd_pcm_sframes_t)(card->reported % card->boundary);
  if (card->fault) {
    show_fault(card);
    if (card->fault == EPIPE) result = -EPIPE;
  } else {
    card->reported = card_visible(card);
    swiftlet_card_store(&card->control->hw_position, card->reported);
    result = (snd_pcm_sframes_t)(card->reported % card->boundary);
    arm_for_client(card, 1);
    publish_state(card);
  }
  pthread_mutex_unlock(&card->lock);
  return result;
}

static int card_delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *delay) {
  struct card *card = card_of(io);
  pthread_mutex_lock(&card->lock);
  if (card->fault != ENODEV && card->fault != ESTRPIPE) card_advance(card, card_now());
  if (card->fault) show_fault(card);
  const int fault = card->fault;
  const int settled = io->state == SND_PCM_STATE_SETUP || io->state == SND_PCM_STATE_OPEN;
  *delay = (snd_pcm_sframes_t)(io->appl_ptr - card_visible(card)) + (card->running ? card->settings.fifo : 0);
  pthread_mutex_unlock(&card->lock);
  return fault ? -fault : settled ? -EBADFD : 0;
}

/// Answers a call that a dead card refuses.
static int refuse_if_lost(struct card *card) {
  card_advance(card, card_now());
  if (card->fault != ENODEV) return 0;
  show_fault(card);
  return -ENODEV;
}

static int card_start(snd_pcm_ioplug_t *io) {
  struct card *card = card_of(io);
  pthread_mutex_lock(&card->lock);
  int err = refuse_if_lost(card);
  if (!err) {
    card_clock_start(card, card_now(), SWIFTLET_CARD_START);
    card_add(&card->control->starts, 1);
    io->state = SND_PCM_STATE_RUNNING;
    arm_for_client(card, 0);
    publish_state(card);
  }
  pthread_mutex_unlock(&card->lock);
  return err;
}

static int card_stop(snd_pcm_ioplug_t *io) {
  struct card *card = card_of(io);
  pthread_mutex_lock(&card->lock);
  const uint64_t now = card_now();
  if (card->fault != ENODEV && card->fault != ESTRPIPE) card_advance(card, now);
  card_clock_stop(card, now, SWIFTLET_CARD_STOP);
  card_discard_prefetched(card);
  card_add(&card->control->stops, 1);
  if (card->fault != ENODEV) card->fault = 0;
  arm(card, NEVER);
  swiftlet_card_store(&card->control->state, SND_PCM_STATE_SETUP);
  pthread_mutex_unlock(&card->lock);
  return 0;
}

static int card_prepare(snd_pcm_ioplug_t *io) {
  struct card *card = card_of(io);
  pthread_mutex_lock(&card->lock);
  // libasound has set its pointers to 0 already: nothing may be recorded against them.
  card_clock_stop(card, card_now(), SWIFTLET_CARD_STOP);
  card_discard_prefetched(card);
  card->heard = card->recorded = card->reported = card->seen_appl = 0;
  card->record_base = swiftlet_card_load(&card->control->recorded_frames);
  int err = refuse_if_lost(card);
  if (!err) {
    card->fault = 0;
    card_add(&card->control->prepares, 1);
    swiftlet_card_store(&card->control->hw_position, 0);
    swiftlet_card_store(&card->control->state, SND_PCM_STATE_PREPARED);
  }
  pthread_mutex_unlock(&card->lock);
  return err;
}

static int card_pause(snd_pcm_ioplug_t *io, int enable) {
  struct card *card = card_of(io);
  if (!card->settings.pause) return -ENOSYS;
  pthread_mutex_lock(&card->lock);
  int err = refuse_if_lost(card);
  if (!err && card->fault) {
    show_fault(card);
    err = -card->fault;
  }
  if (!err && enable) {
    card_clock_stop(card, card_now(), SWIFTLET_CARD_PAUSE);
    card_add(&card->control->pauses, 1);
    arm(card, NEVER);
  } else if (!err) {
    card_clock_start(card, card_now(), SWIFTLET_CARD_RESUME);
  }
  if (!err) swiftlet_card_store(&card->control->state, enable ? SND_PCM_STATE_PAUSED : SND_PCM_STATE_RUNNING);
  pthread_mutex_unlock(&card->lock);
  return err;
}

/// libasound drops what this returns: where the card can not resume, snd_pcm_resume says 0 and the state
/// stays SUSPENDED.
static int card_resume(snd_pcm_ioplug_t *io) {
  struct card *card = card_of(io);
  pthread_mutex_lock(&card->lock);
  if (card->settings.resume && card->fault == ESTRPIPE) {
    card->fault = 0;
    io->hw_ptr = card->reported;
    io->appl_ptr = card->seen_appl;
    io->state = card->heard || card->recorded ? SND_PCM_STATE_RUNNING : SND_PCM_STATE_PREPARED;
    if (io->state == SND_PCM_STATE_RUNNING) card_clock_start(card, card_now(), SWIFTLET_CARD_RESUME);
    card_add(&card->control->resumes, 1);
    publish_state(card);
  }
  pthread_mutex_unlock(&card->lock);
  return 0;
}

static int card_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *params) {
  struct card *card = card_of(io);
  struct SwiftletVirtualCardControl *control = card->control;
  pthread_mutex_lock(&card->lock);
  int err = refuse_if_lost(card);
  if (!err) {
    card_info_change(params, card->settings.batch != 0, !card->settings.pause);
    card->no_period_wakeup = (card_info_flags(params) & NO_PERIOD_WAKEUP) != 0;
    card->frame_bytes = (size_t)snd_pcm_format_physical_width(io->format) / 8 * io->channels;
    card_add(&control->hw_params, 1);
    swiftlet_card_store(&control->format, (uint64_t)io->format);
    swiftlet_card_store(&control->channels, io->channels);
    swiftlet_card_store(&control->rate, io->rate);
    swiftlet_card_store(&control->period_size, io->period_size);
    swiftlet_card_store(&control->buffer_size, io->buffer_size);
    swiftlet_card_store(&control->frame_bytes, card->frame_bytes);
    swiftlet_card_store(&control->no_period_wakeup, (uint64_t)card->no_period_wakeup);
    swiftlet_card_store(&control->state, SND_PCM_STATE_SETUP);
  }
  pthread_mutex_unlock(&card->lock);
  return err;
}

static int card_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *params) {
  struct card *card = card_of(io);
  snd_pcm_uframes_t start = 0;
  pthread_mutex_lock(&card->lock);
  snd_pcm_sw_params_get_boundary(params, &card->boundary);
  snd_pcm_sw_params_get_avail_min(params, &card->avail_min);
  snd_pcm_sw_params_get_stop_threshold(params, &card->stop_threshold);
  snd_pcm_sw_params_get_start_threshold(params, &start);
  swiftlet_card_store(&card->control->avail_min, card->avail_min);
  swiftlet_card_store(&card->control->stop_threshold, card->stop_threshold);
  swiftlet_card_store(&card->control->start_threshold, start);
  const int err = refuse_if_lost(card);
  pthread_mutex_unlock(&card->lock);
  return err;
}

static int card_poll_descriptors(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned space) {
  struct card *card = card_of(io);
  if (!space) return 0;
  pthread_mutex_lock(&card->lock);
  if (card->fault != ENODEV && card->fault != ESTRPIPE) card_advance(card, card_now());
  arm_for_client(card, 0);
  pthread_mutex_unlock(&card->lock);
  *descriptors = (struct pollfd){.fd = io->poll_fd, .events = POLLIN | POLLERR | POLLNVAL};
  return 1;
}

static int card_poll_revents(
  snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count, unsigned short *revents) {
  struct card *card = card_of(io);
  char bytes[64];
  (void)count;
  pthread_mutex_lock(&card->lock);
  if (descriptors->revents) card_add(&card->control->poll_wakeups, 1);
  while (card->wake_fd >= 0 && read(card->wake_fd, bytes, sizeof bytes) == sizeof bytes) {}
  if (card->fault != ENODEV && card->fault != ESTRPIPE) card_advance(card, card_now());
  if (card->fault) {
    show_fault(card);
    *revents = card->fault == ENODEV ? POLLERR | POLLNVAL : POLLOUT | POLLERR;
  } else if (io->state == SND_PCM_STATE_DRAINING) {
    *revents = card->running ? 0 : POLLOUT;
  } else {
    *revents = has_room(card) ? POLLOUT : 0;
  }
  if (!*revents) arm_for_client(card, 0);
  pthread_mutex_unlock(&card->lock);
  return 0;
}

static void *run(void *argument) {
  struct card *card = argument;
  for (;;) {
    const struct timespec step = {.tv_nsec = 1000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &step, NULL);
    pthread_mutex_lock(&card->lock);
    const int stop = card->thread_stop;
    if (!stop && card->running) {
      card_advance(card, card_now());
      if (card->fault) arm(card, 0);
    }
    pthread_mutex_unlock(&card->lock);
    if (stop) return NULL;
  }
}

static void card_free(struct card *card) {
  if (card->has_thread) {
    pthread_mutex_lock(&card->lock);
    card->thread_stop = 1;
    pthread_mutex_unlock(&card->lock);
    pthread_join(card->thread, NULL);
  }
  const int descriptors[] = {
    card->record_fd, card->timer_fd, card->wake_fd, card->io.poll_fd, card->control_fd,
  };
  for (size_t n = 0; n < sizeof descriptors / sizeof *descriptors; n++)
    if (descriptors[n] >= 0) close(descriptors[n]);
  if (card->control) munmap(card->control, sizeof *card->control);
  pthread_mutex_destroy(&card->lock);
  free(card);
}

static int card_close(snd_pcm_ioplug_t *io) {
  struct card *card = card_of(io);
  card_add(&card->control->closes, 1);
  swiftlet_card_store(&card->control->state, SND_PCM_STATE_OPEN);
  card_free(card);
  return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
  .start = card_start, .stop = card_stop, .pointer = card_pointer, .close = card_close,
  .hw_params = card_hw_params, .sw_params = card_sw_params, .prepare = card_prepare, .pause = card_pause,
  .resume = card_resume, .poll_descriptors = card_poll_descriptors, .poll_revents = card_poll_revents,
  .delay = card_delay,
};

static int map_control(struct card *card) {
  card->control_fd = open(card->settings.control, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (card->control_fd < 0) return -errno;
  struct stat stat;
  if (fstat(card->control_fd, &stat) < 0) return -errno;
  if (stat.st_size < (off_t)sizeof *card->control && ftruncate(card->control_fd, sizeof *card->control) < 0)
    return -errno;
  void *mapped = mmap(NULL, sizeof *card->control, PROT_READ | PROT_WRITE, MAP_SHARED, card->control_fd, 0);
  if (mapped == MAP_FAILED) return -errno;
  card->control = mapped;
  if (!card->control->magic) card->control->magic = SWIFTLET_VIRTUAL_CARD_MAGIC;
  return card->control->magic == SWIFTLET_VIRTUAL_CARD_MAGIC ? 0 : -EINVAL;
}

/// The error that a real card's open would give now; 0 when it is there and free.
static int availability(struct card *card) {
  const uint64_t error = swiftlet_card_load(&card->control->open_error);
  if (error) return -(int)error;
  if (swiftlet_card_load(&card->control->absent)) return -ENODEV;
  return flock(card->control_fd, LOCK_EX | LOCK_NB) < 0 ? -EBUSY : 0;
}

static int open_descriptors(struct card *card) {
  card->record_fd = open(card->settings.record, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  card->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  card->io.poll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (card->record_fd < 0 || card->timer_fd < 0 || card->io.poll_fd < 0) return -errno;
  struct epoll_event event = {.events = EPOLLIN};
  if (epoll_ctl(card->io.poll_fd, EPOLL_CTL_ADD, card->timer_fd, &event) < 0) return -errno;
  if (!card->settings.wake[0]) return 0;
  card->wake_fd = open(card->settings.wake, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (card->wake_fd < 0) return -errno;
  char stale[64];
  while (read(card->wake_fd, stale, sizeof stale) == sizeof stale) {}
  return epoll_ctl(card->io.poll_fd, EPOLL_CTL_ADD, card->wake_fd, &event) < 0 ? -errno : 0;
}

static int constrain(struct card *card) {
  const struct card_settings *s = &card->settings;
  const unsigned access[] = {SND_PCM_ACCESS_MMAP_INTERLEAVED, SND_PCM_ACCESS_RW_INTERLEAVED};
  long smallest = 64, largest = 1;
  for (unsigned n = 0; n < s->format_count; n++) {
    const long bytes = snd_pcm_format_physical_width((snd_pcm_format_t)s->formats[n]) / 8;
    if (bytes < smallest) smallest = bytes;
    if (bytes > largest) largest = bytes;
  }
  smallest *= s->channels_min;
  largest *= s->channels_max;
  const struct { int type; long min, max; } ranges[] = {
    {SND_PCM_IOPLUG_HW_CHANNELS, s->channels_min, s->channels_max},
    {SND_PCM_IOPLUG_HW_RATE, s->rate_min, s->rate_max},
    {SND_PCM_IOPLUG_HW_PERIOD_BYTES, s->period_min * smallest, s->period_max * largest},
    {SND_PCM_IOPLUG_HW_BUFFER_BYTES, s->buffer_min * smallest, s->buffer_max * largest},
    {SND_PCM_IOPLUG_HW_PERIODS, s->periods_min, s->periods_max},
  };
  int err = snd_pcm_ioplug_set_param_list(&card->io, SND_PCM_IOPLUG_HW_ACCESS, 2, access);
  if (err >= 0)
    err = snd_pcm_ioplug_set_param_list(&card->io, SND_PCM_IOPLUG_HW_FORMAT, s->format_count, s->formats);
  for (size_t n = 0; err >= 0 && n < sizeof ranges / sizeof *ranges; n++)
    err = snd_pcm_ioplug_set_param_minmax(
      &card->io, ranges[n].type, (unsigned)ranges[n].min, (unsigned)ranges[n].max);
  return err;
}

static void forget_earlier_requests(struct card *card) {
  const struct SwiftletVirtualCardControl *control = card->control;
  card->unplugs = swiftlet_card_load(&control->unplug.count);
  card->xruns = swiftlet_card_load(&control->xrun.count);
  card->suspends = swiftlet_card_load(&control->suspend.count);
  card->stalls = swiftlet_card_load(&control->stall.count);
  card->speeds = swiftlet_card_load(&control->speed.count);
  const uint64_t ppm = swiftlet_card_load(&control->speed_ppm);
  card->ppm = ppm ? ppm : (uint64_t)(card->settings.speed * 1e6);
}

SND_PCM_PLUGIN_DEFINE_FUNC(swiftlet) {
  (void)root;
  if (stream != SND_PCM_STREAM_PLAYBACK) return -ENODEV;
  struct card *card = calloc(1, sizeof *card);
  if (!card) return -ENOMEM;
  card->control_fd = card->record_fd = card->timer_fd = card->wake_fd = card->io.poll_fd = -1;
  card->boundary = card->stop_threshold = LONG_MAX;
  card->armed = 0;
  pthread_mutex_init(&card->lock, NULL);
  int err = card_settings_read(&card->settings, conf);
  if (!err) err = map_control(card);
  if (!err) {
    forget_earlier_requests(card);
    err = availability(card);
    if (err) card_add(&card->control->refused_opens, 1);
  }
  if (!err) err = open_descriptors(card);
  if (err) {
    card_free(card);
    return err;
  }
  card->io.version = SND_PCM_IOPLUG_VERSION;
  card->io.name = "Swiftlet virtual card";
  card->io.flags = SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
  card->io.poll_events = POLLIN;
  card->io.mmap_rw = 1;
  card->io.callback = &callbacks;
  card->io.private_data = card;
  err = snd_pcm_ioplug_create(&card->io, name, stream, mode);
  if (err < 0) {
    card_free(card);
    return err;
  }
  err = constrain(card);
  if (err >= 0 && card->settings.thread) {
    err = -pthread_create(&card->thread, NULL, run, card);
    card->has_thread = !err;
  }
  if (err < 0) {
    snd_pcm_ioplug_delete(&card->io);
    return err;
  }
  card_add(&card->control->opens, 1);
  *pcmp = card->io.pcm;
  return 0;
}

SND_PCM_PLUGIN_SYMBOL(swiftlet)
