#pragma once

#include <unistd.h>

#include <utility>

namespace jettison {

// Owns one open file descriptor and closes it; empty after a move or Release.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  // Takes over `fd`; a negative number owns nothing.
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = other.Release();
    }
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { Close(); }

  // The number for system calls; -1 where nothing is owned.
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
  // Hands the descriptor to the caller, who closes it from now on.
  [[nodiscard]] int Release() { return std::exchange(fd_, -1); }
  void Close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace jettison
