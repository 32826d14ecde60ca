#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace jettison::measure {

[[noreturn]] inline void Die(const char* what) {
  std::perror(what);
  std::exit(1);
}

// One pseudo-file of the memory controller that is read over and over.
class KernelFile {
 public:
  explicit KernelFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) Die(path.c_str());
  }
  KernelFile(const KernelFile&) = delete;
  KernelFile& operator=(const KernelFile&) = delete;
  ~KernelFile() { ::close(fd_); }

  // Its text; valid until the next call.
  const char* Read() {
    const ssize_t length = ::pread(fd_, text_.data(), text_.size() - 1, 0);
    if (length < 0) Die("read a file of the memory controller");
    text_[static_cast<std::size_t>(length)] = '\0';
    return text_.data();
  }

 private:
  int fd_;
  std::array<char, 8192> text_{};
};

// The memory of a node that is a group of cgroup v1, in bytes.
class NodeMemory {
 public:
  NodeMemory(const std::string& group, std::int64_t capacity)
      : usage_(group + "/memory.usage_in_bytes"),
        stat_(group + "/memory.stat"),
        capacity_(capacity) {}

  // Capacity - (usage - inactive file pages).
  std::int64_t Available() {
    const std::int64_t usage = std::atoll(usage_.Read());
    const char* row = std::strstr(stat_.Read(), "\ntotal_inactive_file ");
    const std::int64_t inactive = row == nullptr ? 0 : std::atoll(row + 21);
    return capacity_ - std::max<std::int64_t>(usage - inactive, 0);
  }

 private:
  KernelFile usage_;
  KernelFile stat_;
  std::int64_t capacity_;
};

}  // namespace jettison::measure
