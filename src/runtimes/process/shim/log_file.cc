#include "runtimes/process/shim/log_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

namespace jettison::shim {
namespace {

// Writes as much as the disk takes and returns how much that was.
std::size_t WriteAll(int fd, const char* data, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = write(fd, data + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

}  // namespace

bool LineCutter::Next(Line& line) {
  char* const feed = static_cast<char*>(std::memchr(buffer_ + scanned_, '\n', used_ - scanned_));
  if (feed != nullptr) {
    line = {.text = buffer_ + begin_,
            .size = static_cast<std::size_t>(feed - (buffer_ + begin_)),
            .full = true};
    begin_ = scanned_ = static_cast<std::size_t>(feed - buffer_) + 1;
    return true;
  }
  if (begin_ == 0 && used_ == sizeof(buffer_)) return Last(line);
  std::memmove(buffer_, buffer_ + begin_, used_ - begin_);
  used_ -= begin_;
  begin_ = 0;
  scanned_ = used_;
  return false;
}

bool LineCutter::Last(Line& line) {
  line = {.text = buffer_ + begin_, .size = used_ - begin_, .full = false};
  begin_ = scanned_ = used_ = 0;
  return line.size > 0;
}

void FormatHead(std::int64_t ns_since_epoch, const char* stream, bool full,
                char (&head)[kHeadSize + 1]) {
  const std::chrono::sys_time<std::chrono::nanoseconds> at{
      std::chrono::nanoseconds(ns_since_epoch)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(at - day);
  std::snprintf(head, sizeof(head), "%04d-%02u-%02uT%02d:%02d:%02d.%09dZ %s %c ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                static_cast<int>(time.subseconds().count()), stream, full ? 'F' : 'P');
}

bool LogFile::Open(const char* path) {
  path_ = path;
  fd_ = open(path_, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640);
  return fd_ >= 0;
}

// Where it cannot be opened, it is tried again with the next line.
void LogFile::Reopen() {
  Flush();
  if (fd_ >= 0) close(fd_);
  torn_ = false;
  (void)Open(path_);
}

void LogFile::Add(std::int64_t ns_since_epoch, const char* stream, const Line& line) {
  const std::size_t size = kHeadSize + line.size + 1;
  if (pending_ + size > sizeof(buffer_)) Flush();
  char head[kHeadSize + 1];
  FormatHead(ns_since_epoch, stream, line.full, head);
  std::memcpy(buffer_ + pending_, head, kHeadSize);
  std::memcpy(buffer_ + pending_ + kHeadSize, line.text, line.size);
  buffer_[pending_ + size - 1] = '\n';
  pending_ += size;
}

void LogFile::Flush() {
  if (pending_ == 0) return;
  std::size_t written = 0;
  if (fd_ >= 0 || Open(path_)) {
    // The rest of a line that was written in part is lost; what follows starts on a new line.
    if (torn_) torn_ = WriteAll(fd_, "\n", 1) == 0;
    if (!torn_) written = WriteAll(fd_, buffer_, pending_);
    torn_ = torn_ || (written > 0 && written < pending_ && buffer_[written - 1] != '\n');
  }
  lost_bytes_ += static_cast<std::int64_t>(pending_ - written);
  pending_ = 0;
}

}  // namespace jettison::shim
