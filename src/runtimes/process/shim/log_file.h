#pragma once

#include <cstddef>
#include <cstdint>

#include "runtimes/process/shim/log_lines.h"

namespace jettison::shim {

// The log of one run of a container in the CRI log format, kept within `max_files` files of
// `max_bytes` each: PATH is being written, PATH.1 is the one before, and so on. Lines are never
// torn between files. A disk that is full loses output but never stops the container.
class LogFile {
 public:
  // Opens the file to append to it; false with errno set when it cannot be opened.
  [[nodiscard]] bool Open(const char* path, std::int64_t max_bytes, std::int64_t max_files);
  // Adds one line; it is written with the next Flush at the latest.
  void Add(std::int64_t ns_since_epoch, const char* stream, const Line& line);
  void Flush();
  // Bytes that could not be written.
  [[nodiscard]] std::int64_t lost_bytes() const { return lost_bytes_; }

 private:
  [[nodiscard]] bool Reopen();
  void Rotate();

  const char* path_ = nullptr;
  std::int64_t max_bytes_ = 0;
  std::int64_t max_files_ = 0;
  std::int64_t size_ = 0;  // of the current file
  std::int64_t lost_bytes_ = 0;
  int fd_ = -1;
  bool torn_ = false;  // the last write broke off within a line
  std::size_t pending_ = 0;
  char buffer_[2 * kMaxLineBytes];
};

}  // namespace jettison::shim
