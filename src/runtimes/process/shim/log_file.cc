#include "runtimes/process/shim/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

namespace jettison::shim {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400;

struct Date {
  std::int64_t year;
  std::int64_t month;  // 1..12
  std::int64_t day;    // 1..31
};

// The Gregorian date of a day since 1970-01-01. Years are counted from March, so that a leap day
// is the last of its year; an era is the 400 years after which the calendar repeats.
Date DateOf(std::int64_t days) {
  const std::int64_t shifted = days + 719'468;  // days since 0000-03-01
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146'096) / 146'097;
  const std::int64_t day_of_era = shifted - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return {.year = year_of_era + era * 400 + (month <= 2 ? 1 : 0),
          .month = month,
          .day = day_of_year - (153 * month_from_march + 2) / 5 + 1};
}

// Writes `number` with leading zeros and returns its end.
char* PutDigits(char* at, std::int64_t number, int width) {
  for (int i = width - 1; i >= 0; --i) {
    at[i] = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  return at + width;
}

char* Put(char* at, char c) {
  *at = c;
  return at + 1;
}

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

void RotatedName(const char* path, std::int64_t number, char (&name)[PATH_MAX]) {
  std::snprintf(name, sizeof(name), number == 0 ? "%s" : "%s.%lld", path,
                static_cast<long long>(number));
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

void FormatTimestamp(std::int64_t ns_since_epoch, char (&text)[kTimestampSize]) {
  std::int64_t seconds = ns_since_epoch / kSecond;
  std::int64_t nanos = ns_since_epoch % kSecond;
  if (nanos < 0) {
    nanos += kSecond;
    --seconds;
  }
  std::int64_t day = seconds / kDay;
  std::int64_t second_of_day = seconds % kDay;
  if (second_of_day < 0) {
    second_of_day += kDay;
    --day;
  }
  const Date date = DateOf(day);
  char* at = PutDigits(text, date.year, 4);
  at = PutDigits(Put(at, '-'), date.month, 2);
  at = PutDigits(Put(at, '-'), date.day, 2);
  at = PutDigits(Put(at, 'T'), second_of_day / 3600, 2);
  at = PutDigits(Put(at, ':'), second_of_day / 60 % 60, 2);
  at = PutDigits(Put(at, ':'), second_of_day % 60, 2);
  at = PutDigits(Put(at, '.'), nanos, 9);
  Put(at, 'Z');
}

void FormatHead(std::int64_t ns_since_epoch, const char* stream, bool full,
                char (&head)[kHeadSize]) {
  char time[kTimestampSize];
  FormatTimestamp(ns_since_epoch, time);
  std::memcpy(head, time, sizeof(time));
  char* at = Put(head + sizeof(time), ' ');
  std::memcpy(at, stream, 6);
  at = Put(at + 6, ' ');
  at = Put(at, full ? 'F' : 'P');
  Put(at, ' ');
}

bool LogFile::Open(const char* path, std::int64_t max_bytes, std::int64_t max_files) {
  path_ = path;
  max_bytes_ = max_bytes;
  max_files_ = max_files;
  return Reopen();
}

bool LogFile::Reopen() {
  fd_ = open(path_, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (fd_ < 0) return false;
  struct stat facts;
  size_ = fstat(fd_, &facts) == 0 ? facts.st_size : 0;
  return true;
}

void LogFile::Add(std::int64_t ns_since_epoch, const char* stream, const Line& line) {
  const std::size_t size = kHeadSize + line.size + 1;
  const std::int64_t after = size_ + static_cast<std::int64_t>(pending_ + size);
  if (max_bytes_ > 0 && after > max_bytes_ && size_ + static_cast<std::int64_t>(pending_) > 0) {
    Flush();
    Rotate();
  }
  if (pending_ + size > sizeof(buffer_)) Flush();
  char head[kHeadSize];
  FormatHead(ns_since_epoch, stream, line.full, head);
  std::memcpy(buffer_ + pending_, head, sizeof(head));
  std::memcpy(buffer_ + pending_ + sizeof(head), line.text, line.size);
  buffer_[pending_ + size - 1] = '\n';
  pending_ += size;
}

void LogFile::Flush() {
  if (pending_ == 0) return;
  std::size_t written = 0;
  if (fd_ >= 0 || Reopen()) {
    // The rest of a line that was written in part is lost; what follows starts on a new line.
    if (torn_) torn_ = WriteAll(fd_, "\n", 1) == 0;
    if (!torn_) written = WriteAll(fd_, buffer_, pending_);
    torn_ = torn_ || (written > 0 && written < pending_ && buffer_[written - 1] != '\n');
  }
  size_ += static_cast<std::int64_t>(written);
  lost_bytes_ += static_cast<std::int64_t>(pending_ - written);
  pending_ = 0;
}

void LogFile::Rotate() {
  if (fd_ >= 0) close(fd_);
  char from[PATH_MAX];
  char to[PATH_MAX];
  if (max_files_ <= 1) unlink(path_);
  // The rename of the second oldest file overwrites the oldest.
  for (std::int64_t i = max_files_ - 1; i >= 1; --i) {
    RotatedName(path_, i - 1, from);
    RotatedName(path_, i, to);
    rename(from, to);
  }
  size_ = 0;
  torn_ = false;
  fd_ = -1;
  if (!Reopen()) fd_ = -1;  // tried again with the next line
}

}  // namespace jettison::shim
