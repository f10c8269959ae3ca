// Implements clinux_spawn (CLinuxSpawn.h): starts a program without touching the files that this process has
// open on storage. Any thread.
//
// posix_spawn copies the descriptor table, and the child then closes the copies; closing a file on FUSE or
// NFS waits for its storage. This implementation shares the table at first (CLONE_FILES). Then close_range(2)
// with CLOSE_RANGE_UNSHARE gives the child its own table, which contains only the descriptors below
// CLINUX_FIRST_FOR_STORAGE (the kernel rounds this number up to a multiple of the word size).
#define _GNU_SOURCE
#include "CLinux.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1u << 1)
#endif

const int CLINUX_FIRST_FOR_STORAGE = 64;

#define OUT_OF_MEMORY_SCORE 300
#define AS_TEXT(number) AS_TEXT_ITSELF(number)
#define AS_TEXT_ITSELF(number) #number
const int CLINUX_OUT_OF_MEMORY_SCORE = OUT_OF_MEMORY_SCORE;
// Formatted at compile time: the child shares this process's memory and cannot call printf safely.
static const char out_of_memory_score[] = AS_TEXT(OUT_OF_MEMORY_SCORE);

enum { stack_bytes = 64 * 1024, last_signal = 64 };

struct task {
  const char *path;
  char *const *arguments;
  char *const *environment;
  const int *descriptors;
  int count;
  int error;
};

// Runs in the child in this process's memory, while the starting thread is suspended. Must not lock or
// allocate.
static int begin(void *pointer) {
  struct task *task = pointer;
  if (syscall(SYS_close_range, (unsigned)CLINUX_FIRST_FOR_STORAGE, ~0u, CLOSE_RANGE_UNSHARE) != 0) goto failed;
  // The sources have higher numbers than the new table, so filling the table overwrites none of them.
  for (int number = 0; number < task->count; number++)
    if (dup2(task->descriptors[number], number) < 0) goto failed;
  if (syscall(SYS_close_range, (unsigned)task->count, ~0u, 0) != 0) goto failed;
  // A failure to set the score is harmless and ignored.
  int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    if (write(score, out_of_memory_score, sizeof out_of_memory_score - 1) < 0) errno = 0;
    close(score);
  }
  // A process group of its own keeps a terminal's Ctrl-C from the child; the parent decides when to end it.
  if (setpgid(0, 0) != 0) goto failed;
  for (int number = 1; number <= last_signal; number++) signal(number, SIG_DFL);
  uint64_t none = 0;
  if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, sizeof none) != 0) goto failed;
  execve(task->path, task->arguments, task->environment);
failed:
  task->error = errno;
  _exit(127);
}

int clinux_spawn(pid_t *pid, const char *path, char *const *arguments, char *const *environment,
                 const int *descriptors, int count) {
  for (int number = 0; number < count; number++)
    if (descriptors[number] < count || descriptors[number] >= CLINUX_FIRST_FOR_STORAGE) return EINVAL;
  // Valgrind, which scripts/bench uses to count instructions, aborts on such a clone call.
  const char *preloaded = getenv("LD_PRELOAD");
  if (preloaded && strstr(preloaded, "vgpreload")) return ENOSYS;
  struct task task = {path, arguments, environment, descriptors, count, 0};
  char *stack = mmap(0, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return errno;
  // Block all signals: this process's handlers must not run in the child, which shares its memory.
  uint64_t all = ~(uint64_t)0, before = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
  *pid = clone(begin, stack + stack_bytes, CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &task);
  int error = *pid < 0 ? errno : task.error;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, sizeof before);
  munmap(stack, stack_bytes);
  if (*pid > 0 && error != 0) waitpid(*pid, 0, 0);
  return error;
}
