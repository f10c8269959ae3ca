// A FUSE file system that mirrors a folder and stalls, fails or vanishes on request: hanging storage without a disk, a
// network or a library. Implements the kernel's FUSE protocol (linux/fuse.h). One thread; needs /dev/fuse and the right
// to mount.
//
//   StallingStorage FOLDER MOUNTPOINT
//
// It writes "ready" once it is mounted. Each line on its standard input is a number and an order, and is answered with
// a line with the same number: "stall" leaves requests unanswered that the kernel has already handed over, so that the
// waiting processes cannot even be killed; "go" answers these and all later ones; "fail" answers with EIO; "vanish"
// unmounts and ends, like an unplugged stick; "count" returns the numbers of requests, of syncs of file data, and of
// pending requests. The end of its input acts as "vanish".
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { buffer_bytes = 1 << 18, most_nodes = 65536, most_held = 4096 };

static int device;
static const char *mountpoint;
// A node's number is its index here, with its path relative to the folder; the root is 1.
static char *nodes[most_nodes];
static uint64_t node_count = 2;
static int folder;
static char *held[most_held];
static int held_count;
static enum { answering, stalling, failing } mood;
static unsigned long requests, syncs;

static void answer(const struct fuse_in_header *in, int error, const void *body, size_t size) {
  char reply[sizeof(struct fuse_out_header) + buffer_bytes];
  struct fuse_out_header head = {.len = sizeof head + (error ? 0 : size), .error = -error, .unique = in->unique};
  memcpy(reply, &head, sizeof head);
  if (!error && size) memcpy(reply + sizeof head, body, size);
  // The process that sent the request may have ended.
  if (write(device, reply, head.len) < 0 && errno != ENOENT) perror("StallingStorage: write");
}

static const char *path_of(uint64_t node) { return node < node_count && nodes[node] ? nodes[node] : "."; }

static uint64_t node_of(const char *path) {
  for (uint64_t node = 1; node < node_count; node++)
    if (nodes[node] && strcmp(nodes[node], path) == 0) return node;
  if (node_count == most_nodes) abort();
  nodes[node_count] = strdup(path);
  return node_count++;
}

static void child_path(char *path, size_t size, uint64_t parent, const char *name) {
  snprintf(path, size, "%s/%s", path_of(parent), name);
}

static struct fuse_attr attributes(const struct stat *status, uint64_t node) {
  return (struct fuse_attr){.ino = node, .size = status->st_size, .blocks = status->st_blocks,
    .atime = status->st_atime, .mtime = status->st_mtime, .ctime = status->st_ctime, .mode = status->st_mode,
    .nlink = status->st_nlink, .uid = status->st_uid, .gid = status->st_gid, .blksize = 4096};
}

// No attributes are cached by the kernel: each lookup asks again.
static int look(const char *path, struct fuse_entry_out *entry) {
  struct stat status;
  if (fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  uint64_t node = node_of(path);
  *entry = (struct fuse_entry_out){.nodeid = node, .attr = attributes(&status, node)};
  return 0;
}

static int answer_attributes(const struct fuse_in_header *in) {
  struct stat status;
  if (fstatat(folder, path_of(in->nodeid), &status, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  struct fuse_attr_out out = {.attr = attributes(&status, in->nodeid)};
  answer(in, 0, &out, sizeof out);
  return 0;
}

static int change_attributes(const struct fuse_in_header *in, const struct fuse_setattr_in *what) {
  if (what->valid & FATTR_SIZE) {
    int file = openat(folder, path_of(in->nodeid), O_WRONLY | O_CLOEXEC);
    if (file < 0) return errno;
    int status = ftruncate(file, what->size);
    close(file);
    if (status != 0) return errno;
  }
  if (what->valid & FATTR_MODE && fchmodat(folder, path_of(in->nodeid), what->mode & 07777, 0) != 0) return errno;
  return answer_attributes(in);
}

static int answer_folder(const struct fuse_in_header *in, const struct fuse_read_in *what) {
  static char body[buffer_bytes];
  int descriptor = openat(folder, path_of(in->nodeid), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  DIR *directory = fdopendir(descriptor);
  if (!directory) return errno;
  size_t size = 0;
  uint64_t place = 0;
  for (struct dirent *entry; (entry = readdir(directory)); ) {
    if (place++ < what->offset) continue;
    size_t length = strlen(entry->d_name);
    size_t bytes = FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + length);
    if (size + bytes > what->size || size + bytes > sizeof body) break;
    struct fuse_dirent *out = (struct fuse_dirent *)(body + size);
    memset(out, 0, bytes);
    *out = (struct fuse_dirent){.ino = entry->d_ino, .off = place, .namelen = length, .type = entry->d_type};
    memcpy(out->name, entry->d_name, length);
    size += bytes;
  }
  closedir(directory);
  answer(in, 0, body, size);
  return 0;
}

static int answer_read(const struct fuse_in_header *in, const struct fuse_read_in *what) {
  static char body[buffer_bytes];
  size_t wanted = what->size < sizeof body ? what->size : sizeof body;
  ssize_t size = pread((int)what->fh, body, wanted, what->offset);
  if (size < 0) return errno;
  answer(in, 0, body, size);
  return 0;
}

static int open_file(const struct fuse_in_header *in, uint32_t flags) {
  int file = openat(folder, path_of(in->nodeid), (flags & ~O_NOFOLLOW) | O_CLOEXEC);
  if (file < 0) return errno;
  // Reads bypass the page cache, so each one is a request.
  struct fuse_open_out out = {.fh = file, .open_flags = FOPEN_DIRECT_IO};
  answer(in, 0, &out, sizeof out);
  return 0;
}

static int create_file(const struct fuse_in_header *in, const struct fuse_create_in *what) {
  char path[4096];
  child_path(path, sizeof path, in->nodeid, (const char *)(what + 1));
  int file = openat(folder, path, what->flags | O_CREAT | O_CLOEXEC, what->mode & 07777);
  if (file < 0) return errno;
  struct { struct fuse_entry_out entry; struct fuse_open_out open; } out = {0};
  int error = look(path, &out.entry);
  if (error) return error;
  out.open = (struct fuse_open_out){.fh = file, .open_flags = FOPEN_DIRECT_IO};
  answer(in, 0, &out, sizeof out);
  return 0;
}

static int rename_file(const struct fuse_in_header *in, uint64_t target, const char *names) {
  char from[4096], to[4096];
  child_path(from, sizeof from, in->nodeid, names);
  child_path(to, sizeof to, target, names + strlen(names) + 1);
  if (renameat(folder, from, folder, to) != 0) return errno;
  // The file keeps its node number.
  uint64_t moved = node_of(from);
  for (uint64_t node = 2; node < node_count; node++)
    if (node != moved && nodes[node] && strcmp(nodes[node], to) == 0) { free(nodes[node]); nodes[node] = 0; }
  free(nodes[moved]);
  nodes[moved] = strdup(to);
  answer(in, 0, 0, 0);
  return 0;
}

// Answers one request, or returns the error to answer with.
static int serve(const struct fuse_in_header *in, const void *body) {
  char path[4096];
  switch (in->opcode) {
    case FUSE_INIT: {
      const struct fuse_init_in *what = body;
      struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION,
        .max_readahead = what->max_readahead, .max_write = 65536, .max_background = 64,
        .congestion_threshold = 48, .time_gran = 1};
      answer(in, 0, &out, sizeof out);
      return 0;
    }
    case FUSE_LOOKUP: {
      struct fuse_entry_out entry;
      child_path(path, sizeof path, in->nodeid, body);
      int error = look(path, &entry);
      if (!error) answer(in, 0, &entry, sizeof entry);
      return error;
    }
    case FUSE_GETATTR: return answer_attributes(in);
    case FUSE_SETATTR: return change_attributes(in, body);
    case FUSE_OPEN: return open_file(in, ((const struct fuse_open_in *)body)->flags);
    case FUSE_CREATE: return create_file(in, body);
    case FUSE_READ: return answer_read(in, body);
    case FUSE_WRITE: {
      const struct fuse_write_in *what = body;
      ssize_t size = pwrite((int)what->fh, what + 1, what->size, what->offset);
      if (size < 0) return errno;
      struct fuse_write_out out = {.size = size};
      answer(in, 0, &out, sizeof out);
      return 0;
    }
    case FUSE_RELEASE: close((int)((const struct fuse_release_in *)body)->fh); break;
    case FUSE_UNLINK:
      child_path(path, sizeof path, in->nodeid, body);
      if (unlinkat(folder, path, 0) != 0) return errno;
      break;
    case FUSE_RENAME: {
      const struct fuse_rename_in *what = body;
      return rename_file(in, what->newdir, (const char *)(what + 1));
    }
    case FUSE_RENAME2: {
      const struct fuse_rename2_in *what = body;
      return rename_file(in, what->newdir, (const char *)(what + 1));
    }
    case FUSE_OPENDIR: {
      struct fuse_open_out out = {0};
      answer(in, 0, &out, sizeof out);
      return 0;
    }
    case FUSE_READDIR: return answer_folder(in, body);
    case FUSE_STATFS: {
      struct statvfs status;
      if (fstatvfs(folder, &status) != 0) return errno;
      struct fuse_statfs_out out = {.st = {.blocks = status.f_blocks, .bfree = status.f_bfree,
        .bavail = status.f_bavail, .files = status.f_files, .ffree = status.f_ffree, .bsize = status.f_bsize,
        .namelen = status.f_namemax, .frsize = status.f_frsize}};
      answer(in, 0, &out, sizeof out);
      return 0;
    }
    case FUSE_FLUSH: case FUSE_FSYNC: case FUSE_FSYNCDIR: case FUSE_RELEASEDIR: break;
    default: return ENOSYS;
  }
  answer(in, 0, 0, 0);
  return 0;
}

static void take(char *request) {
  const struct fuse_in_header *in = (const struct fuse_in_header *)request;
  const void *body = in + 1;
  if (in->opcode == FUSE_FORGET || in->opcode == FUSE_BATCH_FORGET || in->opcode == FUSE_INTERRUPT) return;
  requests++;
  if (in->opcode == FUSE_FSYNC && ((const struct fuse_fsync_in *)body)->fsync_flags & FUSE_FSYNC_FDATASYNC) syncs++;
  if (mood == stalling && in->opcode != FUSE_INIT) {
    if (held_count == most_held) abort();
    held[held_count] = memcpy(malloc(in->len), request, in->len);
    held_count++;
    return;
  }
  // Releases and the initial request do not fail.
  int isRelease = in->opcode == FUSE_RELEASE || in->opcode == FUSE_RELEASEDIR || in->opcode == FUSE_INIT;
  int error = mood == failing && !isRelease ? EIO : serve(in, body);
  if (error) answer(in, error, 0, 0);
}

static void release(void) {
  int count = held_count;
  held_count = 0;
  for (int index = 0; index < count; index++) {
    char *request = held[index];
    take(request);
    free(request);
  }
}

static unsigned long order;

static void say(const char *text) {
  printf("%lu %s\n", order, text);
  fflush(stdout);
}

static void vanish(void) {
  umount2(mountpoint, MNT_DETACH);
  // Pending requests get ENOTCONN.
  close(device);
  say("ok");
  exit(0);
}

static void obey(char *line) {
  // The number precedes the order and its answer.
  order = strtoul(line, &line, 10);
  line += strspn(line, " ");
  if (strcmp(line, "stall") == 0) {
    mood = stalling;
  } else if (strcmp(line, "go") == 0) {
    mood = answering;
    release();
  } else if (strcmp(line, "fail") == 0) {
    mood = failing;
    release();
  } else if (strcmp(line, "vanish") == 0) {
    vanish();
  } else if (strcmp(line, "count") == 0) {
    char numbers[80];
    snprintf(numbers, sizeof numbers, "%lu %lu %d", requests, syncs, held_count);
    say(numbers);
    return;
  } else {
    say("unknown");
    return;
  }
  say("ok");
}

int main(int count, char **words) {
  if (count != 3) {
    fprintf(stderr, "StallingStorage FOLDER MOUNTPOINT\n");
    return 64;
  }
  mountpoint = words[2];
  nodes[1] = strdup(".");
  folder = open(words[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
  device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  char options[128];
  snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%u,group_id=%u,allow_other", device, getuid(), getgid());
  if (folder < 0 || device < 0 || mount("stalling", mountpoint, "fuse.stalling", MS_NOSUID | MS_NODEV, options) != 0) {
    perror("StallingStorage");
    return 1;
  }
  puts("ready");
  fflush(stdout);
  static char request[buffer_bytes], line[256];
  size_t length = 0;
  struct pollfd entries[2] = {{.fd = 0, .events = POLLIN}, {.fd = device, .events = POLLIN}};
  while (1) {
    if (poll(entries, 2, -1) < 0) continue;
    if (entries[0].revents) {
      char letter;
      if (read(0, &letter, 1) != 1) vanish();
      if (letter == '\n') {
        line[length] = 0;
        length = 0;
        obey(line);
      } else if (length + 1 < sizeof line) {
        line[length++] = letter;
      }
    }
    if (entries[1].revents) {
      ssize_t size = read(device, request, sizeof request);
      if (size > 0) {
        take(request);
      } else if (errno == ENODEV) {
        // Unmounted by another process.
        return 0;
      }
    }
  }
}
