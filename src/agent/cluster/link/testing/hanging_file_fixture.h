#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "ports/file_descriptor.h"

namespace jettison {

// For tests: a file that cannot be written until it is released, as on a disk that hangs.
class HangingFile {
 public:
  explicit HangingFile(const std::string& path) : draft_(path + ".new") {
    EXPECT_EQ(::mkfifo(draft_.c_str(), 0600), 0);
  }
  // Who writes goes on.
  void Release() { reader_ = FileDescriptor(::open(draft_.c_str(), O_RDONLY | O_NONBLOCK)); }

 private:
  std::string draft_;  // which kernel::WriteFile writes before it replaces the file
  FileDescriptor reader_;
};

}  // namespace jettison
