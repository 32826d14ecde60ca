#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "agent/recorder/recording_folder.h"
#include "kernel/files/temporary_folder.h"

namespace jettison {

// A folder for recordings.
class RecordingFolderBed : public ::testing::Test {
 protected:
  std::int64_t BytesOnDisk() const {
    std::int64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
      struct stat status {};
      EXPECT_EQ(::stat(file.path().c_str(), &status), 0);
      bytes += status.st_blocks * 512;
    }
    return bytes;
  }

  kernel::TemporaryFolder root_;
  std::string folder_ = root_.path() + "/recording";
  RecordingConfig config_;
};

}  // namespace jettison
