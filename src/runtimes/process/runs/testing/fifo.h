#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>

#include "ports/file_descriptor.h"

namespace jettison::process {

// A named pipe through which a test and a container's script meet: one of them writes a line, the
// other waits for it. Both ends are held open here, so neither blocks before the other is there.
class Fifo {
 public:
  explicit Fifo(std::string path) : path_(std::move(path)) {
    if (::mkfifo(path_.c_str(), 0666) == 0) {
      fd_ = FileDescriptor(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
    }
  }
  // Waits for what the script writes; empty when nothing came within ten seconds.
  [[nodiscard]] std::string Await() const {
    pollfd readable{.fd = fd_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&readable, 1, 10'000) != 1) return "";
    std::array<char, 256> text{};
    const ssize_t size = ::read(fd_.get(), text.data(), text.size());
    return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "";
  }
  // Lets a script that reads a line go on.
  [[nodiscard]] bool Release() const { return ::write(fd_.get(), "\n", 1) == 1; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  FileDescriptor fd_;
};

}  // namespace jettison::process
