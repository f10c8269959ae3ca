// Unix and network sockets, serial lines and paths below a folder: wrappers and constants for C that Swift
// cannot import. Included by CLinux.h. No behaviour of its own.
#ifndef CLINUX_DEVICES_H
#define CLINUX_DEVICES_H

#include <arpa/inet.h>
#include <grp.h>
#include <linux/openat2.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/un.h>

static const int CLINUX_DT_DIR = DT_DIR;
static const int CLINUX_DT_REG = DT_REG;

// Fills in a Unix socket address; a leading '@' in the path means the abstract namespace (unix(7)). Returns
// its length, or 0 if the path is empty or too long.
static inline socklen_t clinux_unix_address(struct sockaddr_un *address, const char *path) {
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address->sun_path) return 0;
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length);
  if (path[0] == '@') {
    address->sun_path[0] = 0;
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  }
  return (socklen_t)sizeof *address;
}
// The process id of the peer of a connection (SO_PEERCRED), or 0 if it is unknown.
static inline pid_t clinux_peer_process(int fd) {
  // The layout of struct ucred, which glibc declares only under _GNU_SOURCE.
  struct { pid_t pid; uid_t user; gid_t group; } peer;
  socklen_t length = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? peer.pid : 0;
}
static inline int clinux_bind_unix(int fd, const char *path) {
  struct sockaddr_un address;
  socklen_t length = clinux_unix_address(&address, path);
  if (length == 0) return errno = ENAMETOOLONG, -1;
  return bind(fd, (struct sockaddr *)&address, length);
}
static inline int clinux_connect_unix(int fd, const char *path) {
  struct sockaddr_un address;
  socklen_t length = clinux_unix_address(&address, path);
  if (length == 0) return errno = ENAMETOOLONG, -1;
  return connect(fd, (struct sockaddr *)&address, length);
}
static inline int clinux_unix_socket(int isDatagram) {
  return socket(AF_UNIX, (isDatagram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}
typedef union { struct sockaddr any; struct sockaddr_in four; struct sockaddr_in6 six; } clinux_network_name;
// Fills in a numeric IPv4 or IPv6 address. Returns its length, or 0 if the text is no address.
static inline socklen_t clinux_name_network(clinux_network_name *name, const char *address, uint16_t port) {
  memset(name, 0, sizeof *name);
  if (inet_pton(AF_INET, address, &name->four.sin_addr) == 1) {
    name->four.sin_family = AF_INET;
    name->four.sin_port = htons(port);
    return sizeof name->four;
  }
  if (inet_pton(AF_INET6, address, &name->six.sin6_addr) == 1) {
    name->six.sin6_family = AF_INET6;
    name->six.sin6_port = htons(port);
    return sizeof name->six;
  }
  return 0;
}
// Creates a non-blocking TCP socket for a numeric address and fills in `name` and `length`. Returns -1 with
// errno on failure.
static inline int clinux_network_socket(clinux_network_name *name, socklen_t *length, const char *address, uint16_t port) {
  *length = clinux_name_network(name, address, port);
  if (*length == 0) return errno = EINVAL, -1;
  return socket(name->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}
// Closes a socket after a failed call, keeping that call's errno. Returns -1.
static inline int clinux_abandon_socket(int fd) {
  int error = errno;
  close(fd);
  return errno = error, -1;
}
// Disables Nagle's algorithm, so that small writes are sent without delay.
static inline int clinux_send_at_once(int fd) {
  int on = 1;
  return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}
// Creates a non-blocking socket that listens on a numeric address, or returns -1 with errno. `::` accepts
// IPv4 and IPv6.
static inline int clinux_listen_network(const char *address, uint16_t port, int backlog) {
  clinux_network_name name;
  socklen_t length;
  int fd = clinux_network_socket(&name, &length, address, port), on = 1;
  if (fd < 0) return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, &name.any, length) < 0 || listen(fd, backlog) < 0) return clinux_abandon_socket(fd);
  return fd;
}
// Starts a non-blocking connection to a numeric address, or returns -1 with errno. `unsent` is the send
// buffer's size in bytes.
static inline int clinux_connect_network(const char *address, uint16_t port, int unsent) {
  clinux_network_name name;
  socklen_t length;
  int fd = clinux_network_socket(&name, &length, address, port);
  if (fd < 0) return -1;
  clinux_send_at_once(fd);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &unsent, sizeof unsent);
  if (connect(fd, &name.any, length) < 0 && errno != EINPROGRESS) return clinux_abandon_socket(fd);
  return fd;
}
// The pending error of a socket, or 0.
static inline int clinux_socket_error(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0 ? errno : error;
}
// Bytes that the peer has not acknowledged yet (tcp(7), SIOCOUTQ), or -1.
static inline int clinux_unacknowledged(int fd) {
  int count = 0;
  return ioctl(fd, TIOCOUTQ, &count) < 0 ? -1 : count;
}
// The port that a socket listens on, or 0.
static inline uint16_t clinux_port_of(int fd) {
  clinux_network_name name;
  socklen_t length = sizeof name;
  if (getsockname(fd, &name.any, &length) < 0) return 0;
  return ntohs(name.any.sa_family == AF_INET6 ? name.six.sin6_port : name.four.sin_port);
}
// Whether a text is a numeric IPv4 or IPv6 address.
static inline int clinux_is_address(const char *text) {
  struct in6_addr address;
  return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1;
}
// Resolves a name to its numeric addresses, each followed by LF, as many as fit into `size` bytes. Returns 0
// or an error of getaddrinfo(3).
static inline int clinux_look_up(const char *name, void *addresses, size_t size) {
  char *text = addresses;
  struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
  int error = getaddrinfo(name, NULL, &wanted, &found);
  if (error != 0) return error;
  size_t used = 0;
  text[0] = 0;
  for (struct addrinfo *each = found; each != NULL; each = each->ai_next) {
    size_t left = size - used;
    if (left < INET6_ADDRSTRLEN + 2) break;
    if (getnameinfo(each->ai_addr, each->ai_addrlen, text + used, (socklen_t)(left - 1), NULL, 0, NI_NUMERICHOST) != 0) continue;
    used += strlen(text + used);
    text[used++] = '\n';
    text[used] = 0;
  }
  freeaddrinfo(found);
  return 0;
}
static inline int clinux_is_device(mode_t mode) { return S_ISCHR(mode) || S_ISBLK(mode); }
static inline int clinux_is_socket(mode_t mode) { return S_ISSOCK(mode); }
// The id of a group, or -1 if it does not exist.
static inline long clinux_group(const char *name) {
  struct group *found = getgrnam(name);
  return found ? (long)found->gr_gid : -1;
}

// Opens a path below a folder. A path that leads out of it fails with EXDEV (openat2(2), Linux 5.6).
static inline int clinux_open_beneath(int folder, const char *path, uint64_t flags) {
  struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

// Opens a name in a folder; `mode` is the mode of a new file.
static inline int clinux_open_at(int folder, const char *name, int flags, mode_t mode) {
  return openat(folder, name, flags | O_CLOEXEC, mode);
}
// Reads the target of a link opened with O_PATH and O_NOFOLLOW. Returns its length in bytes, or -1 with
// errno.
static inline long clinux_read_link(int link, void *target, size_t size) {
  return readlinkat(link, "", (char *)target, size);
}

// The termios constant for a baud rate, or 0 if termios has none.
static inline speed_t clinux_speed(int baud) {
  switch (baud) {
    case 1200: return B1200;
    case 2400: return B2400;
    case 4800: return B4800;
    case 9600: return B9600;
    case 19200: return B19200;
    case 38400: return B38400;
    case 57600: return B57600;
    case 115200: return B115200;
    case 230400: return B230400;
    case 460800: return B460800;
    case 921600: return B921600;
    default: return 0;
  }
}
// Switches a tty to raw mode, 8N1, without flow control or modem lines (termios(3)); a break is read as NUL.
static inline int clinux_make_raw(int fd, int baud) {
  struct termios line;
  if (tcgetattr(fd, &line) != 0) return -1;
  cfmakeraw(&line);
  line.c_cflag = (line.c_cflag & ~(tcflag_t)(CSTOPB | CRTSCTS | PARENB | CSIZE)) | CS8 | CREAD | CLOCAL;
  line.c_iflag &= ~(tcflag_t)(IXON | IXOFF | BRKINT | PARMRK);
  line.c_cc[VMIN] = 1;
  line.c_cc[VTIME] = 0;
  speed_t speed = clinux_speed(baud);
  if (speed != 0 && (cfsetispeed(&line, speed) != 0 || cfsetospeed(&line, speed) != 0)) return -1;
  return tcsetattr(fd, TCSANOW, &line);
}

#endif
