#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>

namespace jettison::chaos {

// Nanoseconds of CLOCK_MONOTONIC, by which every program of a chaos run tells the time.
inline std::int64_t NowNanos() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// What a pod tells of itself, past the agent: one line an event, "NANOSECONDS PID EVENT", appended
// to a file on a disk that no pod fills. A line is one write, so that lines of two processes do not
// mix.
class Journal {
 public:
  explicit Journal(const std::string& path)
      : fd_(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {}
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal() { ::close(fd_); }

  [[nodiscard]] bool IsOpen() const { return fd_ >= 0; }

  // May be called by a signal's handler: it allocates nothing.
  void Write(const char* event) const {
    char line[128];
    char* end = AppendNumber(line, NowNanos());
    *end++ = ' ';
    end = AppendNumber(end, life_);
    *end++ = ' ';
    const std::size_t length = std::strlen(event);
    const auto room = static_cast<std::size_t>(line + sizeof(line) - 1 - end);
    std::memcpy(end, event, length < room ? length : room);
    end += length < room ? length : room;
    *end++ = '\n';
    // The reader of a journal notices that it could not be written.
    [[maybe_unused]] const ssize_t wrote = ::write(fd_, line, static_cast<std::size_t>(end - line));
  }

 private:
  static char* AppendNumber(char* at, std::int64_t number) {
    char digits[24];
    int count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    while (count > 0) *at++ = digits[--count];
    return at;
  }

  int fd_;
  std::int64_t life_ = NowNanos();
};

}  // namespace jettison::chaos
