// Changes the info bits of a hw_params, for which ioplug has no call. In its own file, because the kernel's header and
// alsa-lib's define the same names. The structure is kernel ABI, and libasound uses it unchanged.
//
// libasound writes the bits itself whenever it refines (before hw_params is set they cannot be changed), but it keeps
// what the plugin's hw_params callback leaves in them.
#include <sound/asound.h>

unsigned card_info_flags(const void *hw_params) {
  return ((const struct snd_pcm_hw_params *)hw_params)->flags;
}

void card_info_change(void *hw_params, int batch, int no_pause) {
  struct snd_pcm_hw_params *params = hw_params;
  const unsigned expected = SNDRV_PCM_INFO_BLOCK_TRANSFER | SNDRV_PCM_INFO_INTERLEAVED;
  const unsigned possible = expected | SNDRV_PCM_INFO_PAUSE | SNDRV_PCM_INFO_RESUME;
  if ((params->info & expected) != expected || (params->info & ~possible))
    return;  // not the layout this was written for
  if (batch) params->info |= SNDRV_PCM_INFO_BATCH;
  if (no_pause) params->info &= ~SNDRV_PCM_INFO_PAUSE;
}
