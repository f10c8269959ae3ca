// Reads the card's configuration, inline and from its settings file. Runs at open.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "Card.h"

static const unsigned known_formats[] = {
  SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S24_LE, SND_PCM_FORMAT_S24_3LE,
  SND_PCM_FORMAT_S32_LE, SND_PCM_FORMAT_FLOAT_LE,
};

static int read_formats(struct card_settings *settings, const char *text) {
  char copy[CARD_PATH], *rest = copy;
  snprintf(copy, sizeof copy, "%s", text);
  settings->format_count = 0;
  for (char *word; (word = strtok_r(rest, " ,", &rest));) {
    const snd_pcm_format_t format = snd_pcm_format_value(word);
    if (format == SND_PCM_FORMAT_UNKNOWN || settings->format_count == CARD_MAX_FORMATS) {
      SNDERR("virtual card: formats: %s is not a format of this card", word);
      return -EINVAL;
    }
    settings->formats[settings->format_count++] = (unsigned)format;
  }
  return settings->format_count ? 0 : -EINVAL;
}

static int read_rates(struct card_settings *settings, const char *text) {
  char copy[CARD_PATH], *rest = copy;
  snprintf(copy, sizeof copy, "%s", text);
  settings->rate_count = 0;
  for (char *word; (word = strtok_r(rest, " ,", &rest));) {
    const long rate = strtol(word, NULL, 10);
    if (rate <= 0 || settings->rate_count == CARD_MAX_FORMATS) return -EINVAL;
    settings->rates[settings->rate_count++] = (unsigned)rate;
  }
  return 0;
}

static int read_accesses(struct card_settings *settings, const char *text) {
  char copy[CARD_PATH], *rest = copy;
  snprintf(copy, sizeof copy, "%s", text);
  settings->access_count = 0;
  for (char *word; (word = strtok_r(rest, " ,", &rest));) {
    unsigned access = 0;
    while (access <= SND_PCM_ACCESS_LAST && strcmp(word, snd_pcm_access_name((snd_pcm_access_t)access)))
      access++;
    if (access > SND_PCM_ACCESS_LAST || settings->access_count == CARD_MAX_FORMATS) return -EINVAL;
    settings->accesses[settings->access_count++] = access;
  }
  return settings->access_count ? 0 : -EINVAL;
}

static int read_keys(struct card_settings *settings, snd_config_t *conf, int is_file) {
  const struct { const char *key; long *value; } numbers[] = {
    {"channels_min", &settings->channels_min}, {"channels_max", &settings->channels_max},
    {"rate_min", &settings->rate_min}, {"rate_max", &settings->rate_max},
    {"period_min", &settings->period_min}, {"period_max", &settings->period_max},
    {"buffer_min", &settings->buffer_min}, {"buffer_max", &settings->buffer_max},
    {"periods_min", &settings->periods_min}, {"periods_max", &settings->periods_max},
    {"granularity", &settings->granularity}, {"prefetch", &settings->prefetch},
    {"fifo", &settings->fifo}, {"batch", &settings->batch}, {"pause", &settings->pause},
    {"resume", &settings->resume}, {"thread", &settings->thread},
    {"quiet_loss", &settings->quiet_loss},
  };
  const struct { const char *key; char *value; } paths[] = {
    {"record", settings->record}, {"control", settings->control}, {"wake", settings->wake},
  };
  snd_config_iterator_t i, next;
  snd_config_for_each(i, next, conf) {
    snd_config_t *entry = snd_config_iterator_entry(i);
    const char *key, *text = NULL;
    if (snd_config_get_id(entry, &key) < 0) continue;
    int known = !is_file && (!strcmp(key, "type") || !strcmp(key, "comment") || !strcmp(key, "hint")
                             || !strcmp(key, "settings"));
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
      if (!strcmp(key, numbers[n].key)) known = snd_config_get_integer(entry, numbers[n].value) >= 0;
    for (size_t n = 0; n < sizeof paths / sizeof *paths; n++)
      if (!strcmp(key, paths[n].key) && snd_config_get_string(entry, &text) >= 0
          && strlen(text) < CARD_PATH) {
        strcpy(paths[n].value, text);
        known = 1;
      }
    if (!strcmp(key, "speed"))
      known = snd_config_get_ireal(entry, &settings->speed) >= 0 && settings->speed > 0;
    if (!strcmp(key, "formats") && snd_config_get_string(entry, &text) >= 0)
      known = read_formats(settings, text) >= 0;
    if (!strcmp(key, "rates") && snd_config_get_string(entry, &text) >= 0)
      known = read_rates(settings, text) >= 0;
    if (!strcmp(key, "access") && snd_config_get_string(entry, &text) >= 0)
      known = read_accesses(settings, text) >= 0;
    if (!strcmp(key, "past_end") && snd_config_get_string(entry, &text) >= 0) {
      settings->silence = !strcmp(text, "silence");
      known = settings->silence || !strcmp(text, "buffer");
    }
    if (!known) {
      SNDERR("virtual card: %s: no such key, or a value of the wrong kind", key);
      return -EINVAL;
    }
  }
  return 0;
}

static int read_file(struct card_settings *settings, const char *path) {
  snd_input_t *input;
  snd_config_t *top;
  int err = snd_input_stdio_open(&input, path, "r");
  if (err < 0) {
    SNDERR("virtual card: settings: can not read %s", path);
    return err;
  }
  err = snd_config_top(&top);
  if (err >= 0) {
    err = snd_config_load(top, input);
    if (err >= 0) err = read_keys(settings, top, 1);
    snd_config_delete(top);
  }
  snd_input_close(input);
  return err;
}

int card_settings_read(struct card_settings *settings, snd_config_t *conf) {
  *settings = (struct card_settings){
    .channels_min = 1, .channels_max = 2, .rate_min = 8000, .rate_max = 192000,
    .period_min = 16, .period_max = 48000, .buffer_min = 32, .buffer_max = 96000,
    .periods_min = 2, .periods_max = 1024, .granularity = 1, .pause = 1, .resume = 1, .speed = 1,
    .accesses = {SND_PCM_ACCESS_MMAP_INTERLEAVED, SND_PCM_ACCESS_RW_INTERLEAVED}, .access_count = 2,
    .format_count = sizeof known_formats / sizeof *known_formats,
  };
  memcpy(settings->formats, known_formats, sizeof known_formats);
  snd_config_t *file;
  const char *path;
  if (snd_config_search(conf, "settings", &file) >= 0 && snd_config_get_string(file, &path) >= 0) {
    const int err = read_file(settings, path);
    if (err < 0) return err;
  }
  const int err = read_keys(settings, conf, 0);
  if (err < 0) return err;
  if (!settings->control[0] || !settings->record[0]) {
    SNDERR("virtual card: record and control need a path each");
    return -EINVAL;
  }
  return 0;
}
