// GPIO lines and input devices: kernel structures, and constants for macros that Swift cannot import.
// Included by CLinux.h. No behaviour of its own.
#ifndef CLINUX_CONTROLS_H
#define CLINUX_CONTROLS_H

#include <linux/gpio.h>
#include <linux/input.h>

static const unsigned long CLINUX_GPIO_GET_CHIPINFO = GPIO_GET_CHIPINFO_IOCTL;
static const unsigned long CLINUX_GPIO_GET_LINEINFO = GPIO_V2_GET_LINEINFO_IOCTL;
static const unsigned long CLINUX_GPIO_GET_LINE = GPIO_V2_GET_LINE_IOCTL;
static const unsigned long CLINUX_GPIO_GET_VALUES = GPIO_V2_LINE_GET_VALUES_IOCTL;
static const unsigned long CLINUX_GPIO_SET_VALUES = GPIO_V2_LINE_SET_VALUES_IOCTL;

static const uint64_t CLINUX_GPIO_USED = GPIO_V2_LINE_FLAG_USED;
static const uint64_t CLINUX_GPIO_ACTIVE_LOW = GPIO_V2_LINE_FLAG_ACTIVE_LOW;
static const uint64_t CLINUX_GPIO_INPUT = GPIO_V2_LINE_FLAG_INPUT;
static const uint64_t CLINUX_GPIO_OUTPUT = GPIO_V2_LINE_FLAG_OUTPUT;
static const uint64_t CLINUX_GPIO_BOTH_EDGES = GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING;
static const uint64_t CLINUX_GPIO_PULL_UP = GPIO_V2_LINE_FLAG_BIAS_PULL_UP;
static const uint64_t CLINUX_GPIO_PULL_DOWN = GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN;
static const uint64_t CLINUX_GPIO_NO_PULL = GPIO_V2_LINE_FLAG_BIAS_DISABLED;

// The kernel's ENOTSUPP, which drivers return although errno.h of user space does not define it.
static const int CLINUX_ENOTSUPP = 524;

static inline void clinux_gpio_set_line(struct gpio_v2_line_request *request, unsigned index, uint32_t offset) {
  request->offsets[index] = offset;
}
static inline void clinux_gpio_set_consumer(struct gpio_v2_line_request *request, const char *consumer) {
  strncpy(request->consumer, consumer, sizeof request->consumer - 1);
}
static inline void clinux_gpio_add_flags(struct gpio_v2_line_request *request, uint64_t flags, uint64_t mask) {
  struct gpio_v2_line_config_attribute *next = &request->config.attrs[request->config.num_attrs++];
  next->attr.id = GPIO_V2_LINE_ATTR_ID_FLAGS;
  next->attr.flags = flags;
  next->mask = mask;
}
static inline void clinux_gpio_add_debounce(struct gpio_v2_line_request *request, uint32_t us, uint64_t mask) {
  struct gpio_v2_line_config_attribute *next = &request->config.attrs[request->config.num_attrs++];
  next->attr.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE;
  next->attr.debounce_period_us = us;
  next->mask = mask;
}

// Returns 0 or -1 with errno, like ioctl(2). The name is always terminated.
static inline int clinux_input_name(int fd, char *name, size_t size) {
  memset(name, 0, size);
  return ioctl(fd, EVIOCGNAME(size - 1), name) < 0 ? -1 : 0;
}
static inline int clinux_input_bits(int fd, int type, void *bits, size_t size) {
  memset(bits, 0, size);
  return ioctl(fd, EVIOCGBIT(type, size), bits) < 0 ? -1 : 0;
}
static inline int clinux_input_pressed(int fd, void *bits, size_t size) {
  memset(bits, 0, size);
  return ioctl(fd, EVIOCGKEY(size), bits) < 0 ? -1 : 0;
}
static inline int clinux_input_use_monotonic_clock(int fd) {
  int clock = CLOCK_MONOTONIC;
  return ioctl(fd, EVIOCSCLOCKID, &clock);
}
static inline int clinux_input_grab(int fd) { return ioctl(fd, EVIOCGRAB, 1); }
// The event's time stamp in nanoseconds; the layout of the fields depends on the width of time_t.
static inline uint64_t clinux_input_time(const struct input_event *event) {
  return (uint64_t)event->input_event_sec * 1000000000u + (uint64_t)event->input_event_usec * 1000u;
}

#endif
