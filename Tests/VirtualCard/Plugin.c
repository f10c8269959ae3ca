// The virtual card as an external I/O plugin of libasound. Runs in the client's calls.
//
// With mmap_rw the client writes directly into libasound's buffer without a transfer callback: the card reads
// io->appl_ptr and takes frames from the buffer by its clock.
#include <errno.h>

#include "Card.h"

#define NO_PERIOD_WAKEUP (1u << 2)  // SND_PCM_HW_PARAMS_NO_PERIOD_WAKEUP, kernel ABI

static struct card *card_of(snd_pcm_ioplug_t *io) { return io->private_data; }

static snd_pcm_sframes_t card_pointer(snd_pcm_ioplug_t *io) {
  struct card *card = card_of(io);
  pthread_mutex_lock(&card->lock);
  card_add(&card->control->position_reads, 1);
  if (card->fault != ENODEV && card->fault != ESTRPIPE) card_advance(card, card_now());
  snd_pcm_sframes_t result = (snd_pcm_sframes_t)(card->reported % card->boundary);
  if (card->fault) {
    card_show_fault(card);
    card_arm(card, card->fault == ENODEV && card->settings.quiet_loss ? CARD_NEVER : 0);
    if (card->fault == EPIPE) result = -EPIPE;
  } else {
    card->reported = card_visible(card);
    swiftlet_card_store(&card->control->hw_position, card->reported);
    result = (snd_pcm_sframes_t)(card->reported % card->boundary);
    card_arm_for_client(card, 1);
    card_publish_state(card);
  }
  pthread_mutex_unlock(&card->lock);
  return result;
}

static int card_delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *delay) {
  struct card *card = card_of(io);
  pthread_mutex_lock(&card->lock);
  if (card->fault != ENODEV && card->fault != ESTRPIPE) card_advance(card, card_now());
  if (card->fault) card_show_fault(card);
  const int fault = card->fault;
  const int settled = io->state == SND_PCM_STATE_SETUP || io->state == SND_PCM_STATE_OPEN;
  *delay = (snd_pcm_sframes_t)(io->appl_ptr - card_visible(card)) + (card->running ? card->settings.fifo : 0);
  pthread_mutex_unlock(&card->lock);
  return fault && !(fault == ENODEV && card->settings.quiet_loss) ? -fault : settled ? -EBADFD : 0;
}

/// The result of a call to a lost card.
static int refuse_if_lost(struct card *card) {
  card_advance(card, card_now());
  if (card->fault != ENODEV) return 0;
  card_show_fault(card);
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
    card_arm_for_client(card, 0);
    card_publish_state(card);
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
  card_arm(card, 0);
  swiftlet_card_store(&card->control->state, SND_PCM_STATE_SETUP);
  pthread_mutex_unlock(&card->lock);
  return 0;
}

static int card_prepare(snd_pcm_ioplug_t *io) {
  struct card *card = card_of(io);
  pthread_mutex_lock(&card->lock);
  // libasound has already set its pointers to 0, so nothing may be recorded against them.
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
    card_show_fault(card);
    err = -card->fault;
  }
  if (!err && enable) {
    card_clock_stop(card, card_now(), SWIFTLET_CARD_PAUSE);
    card_add(&card->control->pauses, 1);
  } else if (!err) {
    card_clock_start(card, card_now(), SWIFTLET_CARD_RESUME);
  }
  if (!err) {
    io->state = enable ? SND_PCM_STATE_PAUSED : SND_PCM_STATE_RUNNING;
    card_arm_for_client(card, 0);
    card_publish_state(card);
  }
  pthread_mutex_unlock(&card->lock);
  return err;
}

/// libasound ignores the result: if the card cannot resume, snd_pcm_resume returns 0 and the state stays SUSPENDED.
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
    card_arm_for_client(card, 0);
    card_publish_state(card);
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

static int card_close(snd_pcm_ioplug_t *io) {
  struct card *card = card_of(io);
  card_add(&card->control->closes, 1);
  swiftlet_card_store(&card->control->state, SND_PCM_STATE_OPEN);
  card_free(card);
  return 0;
}

const snd_pcm_ioplug_callback_t card_callbacks = {
  .start = card_start, .stop = card_stop, .pointer = card_pointer, .close = card_close,
  .hw_params = card_hw_params, .sw_params = card_sw_params, .prepare = card_prepare, .pause = card_pause,
  .resume = card_resume, .poll_descriptors = card_poll_descriptors, .poll_revents = card_poll_revents,
  .delay = card_delay,
};
