/* A libmpdclient client that goes beyond the library's example: prints the responses to typical requests of MPD clients, without the
 * fields that always differ between servers. compare.py runs it with mpd and with a box and compares its output.
 *
 * Usage: session PORT */
#include <mpd/client.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct mpd_connection *c;

/* Prints how a command ended. An error response is cleared and the connection continues; without a connection the program exits. */
static void end(const char *what, bool done) {
  if (done) {
    printf("%s: done\n", what);
    return;
  }
  enum mpd_error error = mpd_connection_get_error(c);
  if (error == MPD_ERROR_SERVER)
    printf("%s: refused, %d at %u\n", what, mpd_connection_get_server_error(c), mpd_connection_get_server_error_location(c));
  else
    printf("%s: error %d\n", what, error);
  if (!mpd_connection_clear_error(c)) {
    printf("%s: the connection is lost: %s\n", what, mpd_connection_get_error_message(c));
    exit(1);
  }
}

static void tag(const struct mpd_song *song, enum mpd_tag_type type) {
  const char *value = mpd_song_get_tag(song, type, 0);
  printf(" | %s", value ? value : "");
}

/* The songs of a response, to its end. The queue of a box has the tags of opened songs only. */
static void songs(const char *what, bool with_tags) {
  struct mpd_song *song;
  while ((song = mpd_recv_song(c)) != NULL) {
    printf("%s: %s", what, mpd_song_get_uri(song));
    if (with_tags) {
      tag(song, MPD_TAG_ARTIST), tag(song, MPD_TAG_TITLE), tag(song, MPD_TAG_ALBUM), tag(song, MPD_TAG_TRACK);
      tag(song, MPD_TAG_ALBUM_ARTIST), tag(song, MPD_TAG_GENRE), tag(song, MPD_TAG_DATE), tag(song, MPD_TAG_DISC);
      printf(" | %u s, %u ms", mpd_song_get_duration(song), mpd_song_get_duration_ms(song));
    } else {
      printf(" | at %u", mpd_song_get_pos(song));
    }
    printf("\n");
    mpd_song_free(song);
  }
  end(what, mpd_response_finish(c));
}

static void status(const char *what) {
  struct mpd_status *s = mpd_run_status(c);
  if (s == NULL) {
    end(what, false);
    return;
  }
  printf("%s: volume %d, repeat %d, random %d, single %d, consume %d, %u songs, state %d, song %d, crossfade %u, total %u ms, error %s\n",
         what, mpd_status_get_volume(s), mpd_status_get_repeat(s), mpd_status_get_random(s), mpd_status_get_single_state(s),
         mpd_status_get_consume(s), mpd_status_get_queue_length(s), mpd_status_get_state(s), mpd_status_get_song_pos(s),
         mpd_status_get_crossfade(s), mpd_status_get_total_time(s) * 1000, mpd_status_get_error(s) ? "some" : "none");
  mpd_status_free(s);
  end(what, mpd_response_finish(c));
}

/* Waits until the current song is opened, so that its length is known. */
static void await_length(void) {
  for (int i = 0; i < 500; i++) {
    struct mpd_status *s = mpd_run_status(c);
    unsigned total = s ? mpd_status_get_total_time(s) : 0;
    if (s) mpd_status_free(s);
    if (total > 0) return;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
}

static void current(const char *what) {
  struct mpd_song *song = mpd_run_current_song(c);
  printf("%s: %s\n", what, song ? mpd_song_get_uri(song) : "nothing");
  if (song) mpd_song_free(song);
  end(what, mpd_response_finish(c));
}

/* A picture, chunk by chunk. */
static void picture(const char *what, const char *uri, bool is_embedded) {
  unsigned offset = 0, sum = 0, pieces = 0;
  unsigned char buffer[4096];
  for (;;) {
    int count = is_embedded ? mpd_run_readpicture(c, uri, offset, buffer, sizeof buffer)
                            : mpd_run_albumart(c, uri, offset, buffer, sizeof buffer);
    if (count < 0) {
      end(what, false);
      return;
    }
    if (count == 0) break;
    for (int i = 0; i < count; i++) sum = sum * 31 + buffer[i];
    offset += (unsigned)count;
    pieces++;
  }
  printf("%s: %u bytes, %u pieces, %u\n", what, offset, pieces, sum);
}

static void search(void) {
  mpd_search_db_songs(c, true);
  mpd_search_add_tag_constraint(c, MPD_OPERATOR_DEFAULT, MPD_TAG_ARTIST, "Band");
  mpd_search_add_sort_tag(c, MPD_TAG_TITLE, true);
  mpd_search_add_window(c, 1, 3);
  mpd_search_commit(c);
  songs("find, sorted, a window", true);

  mpd_search_db_songs(c, false);
  mpd_search_add_any_tag_constraint(c, MPD_OPERATOR_DEFAULT, "MOON");
  mpd_search_add_base_constraint(c, MPD_OPERATOR_DEFAULT, "Other");
  mpd_search_commit(c);
  songs("search in a folder", true);

  mpd_search_db_songs(c, true);
  mpd_search_add_expression(c, "((artist == \"Cello's\") AND (!(album contains 'x')))");
  mpd_search_add_sort_name(c, "Last-Modified", false);
  mpd_search_commit(c);
  songs("an expression", true);

  mpd_search_db_songs(c, true);
  mpd_search_add_expression(c, "(artist == ");
  mpd_search_commit(c);
  songs("half an expression", true);

  mpd_search_db_songs(c, true);
  mpd_search_add_uri_constraint(c, MPD_OPERATOR_DEFAULT, "lone.flac");
  mpd_search_commit(c);
  songs("by name", true);

  mpd_search_db_tags(c, MPD_TAG_ALBUM);
  mpd_search_add_group_tag(c, MPD_TAG_ARTIST);
  mpd_search_commit(c);
  struct mpd_pair *pair;
  while ((pair = mpd_recv_pair(c)) != NULL) {
    printf("list: %s %s\n", pair->name, pair->value);
    mpd_return_pair(c, pair);
  }
  end("list", mpd_response_finish(c));

  mpd_search_add_db_songs(c, true);
  mpd_search_add_tag_constraint(c, MPD_OPERATOR_DEFAULT, MPD_TAG_ALBUM, "Zwei");
  mpd_search_add_sort_tag(c, MPD_TAG_TITLE, false);
  mpd_search_add_window(c, 0, 1);
  mpd_search_add_position(c, 1, MPD_POSITION_ABSOLUTE);
  mpd_search_commit(c);
  end("findadd at a place", mpd_response_finish(c));

  mpd_search_queue_songs(c, true);
  mpd_search_add_uri_constraint(c, MPD_OPERATOR_DEFAULT, "Albums/One/02 tune.flac");
  mpd_search_commit(c);
  songs("playlistfind", false);
}

static void lists(void) {
  mpd_command_list_begin(c, true);
  mpd_send_status(c);
  mpd_send_current_song(c);
  mpd_send_list_queue_meta(c);
  mpd_command_list_end(c);
  struct mpd_status *s = mpd_recv_status(c);
  printf("a list: %u songs\n", s ? mpd_status_get_queue_length(s) : 0);
  if (s) mpd_status_free(s);
  mpd_response_next(c);
  struct mpd_song *song = mpd_recv_song(c);
  printf("a list: %s\n", song ? mpd_song_get_uri(song) : "nothing");
  if (song) mpd_song_free(song);
  mpd_response_next(c);
  songs("a list", false);

  mpd_command_list_begin(c, false);
  mpd_send_add(c, "lone.flac");
  mpd_send_add(c, "nowhere.flac");
  mpd_send_add(c, "lone.flac");
  mpd_command_list_end(c);
  end("a list with an error", mpd_response_finish(c));
}

static void playlists(void) {
  end("save", mpd_run_save(c, "Client"));
  end("save again", mpd_run_save(c, "Client"));
  mpd_send_list_playlist_meta(c, "Client");
  songs("listplaylistinfo", true);
  end("load a part", mpd_run_load_range(c, "Client", 1, 3));
  end("load a part at a place", mpd_run_load_range_to(c, "Client", 0, 1, 1, MPD_POSITION_ABSOLUTE));
  end("load right behind the current song", mpd_run_load_range_to(c, "Client", 0, 1, 0, MPD_POSITION_AFTER_CURRENT));
  end("add right before the current song", mpd_run_add_whence(c, "lone.flac", 0, MPD_POSITION_BEFORE_CURRENT));
  int id = mpd_run_add_id_to(c, "lone.flac", 0);
  printf("addid: %s\n", id >= 0 ? "an id" : "none");
  if (id >= 0) end("deleteid", mpd_run_delete_id(c, (unsigned)id));
  mpd_send_list_queue_meta(c);
  songs("the queue", false);
  end("rm", mpd_run_rm(c, "Client"));
  end("rm again", mpd_run_rm(c, "Client"));
}

static void stickers(void) {
  end("a sticker", mpd_run_sticker_set(c, "song", "lone.flac", "rating", "5"));
  mpd_send_sticker_list(c, "song", "lone.flac");
  struct mpd_pair *pair;
  while ((pair = mpd_recv_sticker(c)) != NULL) {
    printf("stickers: %s=%s\n", pair->name, pair->value);
    mpd_return_sticker(c, pair);
  }
  end("stickers", mpd_response_finish(c));
  end("a sticker less", mpd_run_sticker_delete(c, "song", "lone.flac", "rating"));
  end("a sticker that is not there", mpd_run_sticker_delete(c, "song", "lone.flac", "rating"));
}

int main(int count, char **words) {
  if (count != 2) return 64;
  c = mpd_connection_new("127.0.0.1", (unsigned)atoi(words[1]), 20000);
  if (c == NULL || mpd_connection_get_error(c) != MPD_ERROR_SUCCESS) {
    fprintf(stderr, "session: %s\n", c ? mpd_connection_get_error_message(c) : "no memory");
    return 1;
  }
  const unsigned *version = mpd_connection_get_server_version(c);
  printf("protocol %u.%u\n", version[0], version[1]);
  end("clear", mpd_run_clear(c));
  end("add a folder", mpd_run_add(c, "Albums/One"));
  end("add what is not there", mpd_run_add(c, "nowhere.flac"));
  end("play", mpd_run_play_pos(c, 1));
  await_length();
  end("pause", mpd_run_pause(c, true));
  status("status");
  current("current");
  end("seek", mpd_run_seek_current(c, 5, false));
  mpd_send_list_queue_range_meta(c, 1, 3);
  songs("a part of the queue", false);
  search();
  lists();
  playlists();
  stickers();
  end("a small limit", mpd_run_binarylimit(c, 1000));
  picture("readpicture", "Other/Zwei/2 b.flac", true);
  picture("readpicture of none", "lone.flac", true);
  picture("albumart", "Other/Zwei/10 a.flac", false);
  picture("albumart of none", "lone.flac", false);
  end("no limit", mpd_run_binarylimit(c, 1));
  /* Changes since the connection was opened are reported at once, and so are later ones. */
  end("volume", mpd_run_set_volume(c, 40));
  printf("idle: mixer %d\n", mpd_run_idle_mask(c, MPD_IDLE_MIXER) == MPD_IDLE_MIXER);
  end("idle", mpd_response_finish(c));
  mpd_send_idle_mask(c, MPD_IDLE_SUBSCRIPTION);
  printf("noidle: %d\n", mpd_run_noidle(c) == 0);
  end("noidle", mpd_response_finish(c));
  end("stop", mpd_run_stop(c));
  status("status at the end");
  mpd_connection_free(c);
  return 0;
}
