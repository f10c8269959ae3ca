// The descriptors for a client's poll: a timer set to the next period boundary with room, and a FIFO for wakeups by a
// test. Also how a fault is signaled. Runs in the client's calls, under the card's lock.
#include <errno.h>
#include <poll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "Card.h"

void card_publish_state(struct card *card) {
  swiftlet_card_store(&card->control->state, card->io.state);
}

// An ioplug can only report an xrun: libasound treats any other error from `pointer` as one. So the state is set by
// hand, and the pointers are left such that snd_pcm_avail computes the error code that a kernel driver would return.
void card_show_fault(struct card *card) {
  snd_pcm_ioplug_t *io = &card->io;
  if (card->fault == ENODEV && card->settings.quiet_loss) {
    // Like a plugin that has not noticed the loss of its card: calls still return numbers.
    if (card->settings.quiet_loss == 1) io->state = SND_PCM_STATE_DISCONNECTED;
  } else if (card->fault == EPIPE) {
    io->state = SND_PCM_STATE_XRUN;
  } else if (card->fault) {
    io->state = card->fault == ENODEV ? SND_PCM_STATE_DISCONNECTED : SND_PCM_STATE_SUSPENDED;
    io->appl_ptr = 0;
    io->hw_ptr = (snd_pcm_uframes_t)0 - io->buffer_size - (snd_pcm_uframes_t)card->fault;
  }
  card_publish_state(card);
}

void card_arm(struct card *card, uint64_t time) {
  if (time == card->armed && time == CARD_NEVER) return;
  card->armed = time;
  struct itimerspec spec = {0};
  if (time != CARD_NEVER) {
    spec.it_value.tv_sec = (time_t)(time / 1000000000);
    spec.it_value.tv_nsec = (long)(time % 1000000000);
    if (!time) spec.it_value.tv_nsec = 1;
  }
  timerfd_settime(card->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

static int has_room(const struct card *card) {
  return card_visible(card) + card->io.buffer_size >= card->io.appl_ptr + card->avail_min;
}

void card_arm_for_client(struct card *card, int refilling) {
  const snd_pcm_state_t state = card->io.state;
  const int set_up_only = state == SND_PCM_STATE_SETUP || state == SND_PCM_STATE_OPEN;
  if (card->fault == ENODEV && card->settings.quiet_loss) return card_arm(card, CARD_NEVER);
  if (card->fault || set_up_only) return card_arm(card, 0);
  if (!card->running) return card_arm(card, has_room(card) ? 0 : CARD_NEVER);
  if (state == SND_PCM_STATE_DRAINING) return card_arm(card, card_time_of(card, card->io.appl_ptr));
  if (card->no_period_wakeup) return card_arm(card, CARD_NEVER);
  uint64_t frame = card->io.appl_ptr + card->avail_min;
  frame = frame > card->io.buffer_size ? frame - card->io.buffer_size : 0;
  if (has_room(card)) {
    if (!refilling) return card_arm(card, 0);
    frame = card->heard + card->avail_min;
  }
  const uint64_t period = card->io.period_size;
  frame = (frame + period - 1) / period * period;
  if (frame <= card->heard) frame = (card->heard / period + 1) * period;
  card_arm(card, card_time_of(card, frame));
}

int card_poll_descriptors(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned space) {
  struct card *card = io->private_data;
  if (!space) return 0;
  pthread_mutex_lock(&card->lock);
  if (card->fault != ENODEV && card->fault != ESTRPIPE) card_advance(card, card_now());
  card_arm_for_client(card, 0);
  pthread_mutex_unlock(&card->lock);
  *descriptors = (struct pollfd){.fd = io->poll_fd, .events = POLLIN | POLLERR | POLLNVAL};
  return 1;
}

int card_poll_revents(
  snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count, unsigned short *revents) {
  struct card *card = io->private_data;
  char bytes[64];
  (void)count;
  pthread_mutex_lock(&card->lock);
  if (descriptors->revents) card_add(&card->control->poll_wakeups, 1);
  while (card->wake_fd >= 0 && read(card->wake_fd, bytes, sizeof bytes) == sizeof bytes) {}
  if (card->fault != ENODEV && card->fault != ESTRPIPE) card_advance(card, card_now());
  if (card->fault == ENODEV && card->settings.quiet_loss) {
    card_show_fault(card);
    *revents = 0;
  } else if (card->fault) {
    card_show_fault(card);
    *revents = card->fault == ENODEV ? POLLERR | POLLNVAL : POLLOUT | POLLERR;
  } else if (io->state == SND_PCM_STATE_SETUP || io->state == SND_PCM_STATE_OPEN) {
    *revents = POLLOUT | POLLERR;  // as the kernel: polling a stopped stream spins
  } else if (io->state == SND_PCM_STATE_DRAINING) {
    *revents = card->running ? 0 : POLLOUT;
  } else {
    *revents = has_room(card) ? POLLOUT : 0;
  }
  if (card->fault || !*revents) card_arm_for_client(card, 0);
  pthread_mutex_unlock(&card->lock);
  return 0;
}
