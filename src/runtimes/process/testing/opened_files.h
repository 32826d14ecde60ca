#pragma once

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "ports/file_descriptor.h"

namespace jettison::process {

// The names of the files in a folder that have been opened since this object was made.
class OpenedFiles {
 public:
  explicit OpenedFiles(const std::string& folder) {
    EXPECT_GE(::inotify_add_watch(inotify_.get(), folder.c_str(), IN_OPEN), 0);
  }
  [[nodiscard]] std::vector<std::string> Take() const {
    std::vector<std::string> names;
    alignas(inotify_event) std::array<char, 4096> buffer{};
    const ssize_t size = ::read(inotify_.get(), buffer.data(), buffer.size());
    for (ssize_t at = 0; at < size;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      if (event.len > 0) names.emplace_back(buffer.data() + at + sizeof(event));
      at += static_cast<ssize_t>(sizeof(event) + event.len);
    }
    return names;
  }

 private:
  FileDescriptor inotify_{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
};

}  // namespace jettison::process
