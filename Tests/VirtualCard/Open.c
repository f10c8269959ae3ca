// Opens and closes a virtual card: maps its control file, sets its constraints, starts its thread. Runs in the client's
// calls.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "Card.h"

static void *run(void *argument) {
  struct card *card = argument;
  for (;;) {
    const struct timespec step = {.tv_nsec = 1000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &step, NULL);
    pthread_mutex_lock(&card->lock);
    const int stop = card->thread_stop;
    if (!stop && card->running) {
      card_advance(card, card_now());
      if (card->fault) card_arm(card, 0);
    }
    pthread_mutex_unlock(&card->lock);
    if (stop) return NULL;
  }
}

void card_free(struct card *card) {
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

/// The error that opening a real card would return now; 0 if it is present and free.
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
  int err =
    snd_pcm_ioplug_set_param_list(&card->io, SND_PCM_IOPLUG_HW_ACCESS, s->access_count, s->accesses);
  if (err >= 0)
    err = snd_pcm_ioplug_set_param_list(&card->io, SND_PCM_IOPLUG_HW_FORMAT, s->format_count, s->formats);
  for (size_t n = 0; err >= 0 && n < sizeof ranges / sizeof *ranges; n++)
    err = snd_pcm_ioplug_set_param_minmax(
      &card->io, ranges[n].type, (unsigned)ranges[n].min, (unsigned)ranges[n].max);
  if (err >= 0 && s->rate_count)
    err = snd_pcm_ioplug_set_param_list(&card->io, SND_PCM_IOPLUG_HW_RATE, s->rate_count, s->rates);
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
  card->io.callback = &card_callbacks;
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
