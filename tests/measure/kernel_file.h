#pragma once

#include <fcntl.h>
#include <unistd.h>

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

// The figure of `key` in the text of a memory.stat; 0 where it has none.
inline std::int64_t FigureOf(const char* stat, const std::string& key) {
  const std::string row = key + " ";
  for (const char* at = stat; (at = std::strstr(at, row.c_str())) != nullptr; ++at) {
    if (at == stat || at[-1] == '\n') return std::atoll(at + row.size());
  }
  return 0;
}

}  // namespace jettison::measure
