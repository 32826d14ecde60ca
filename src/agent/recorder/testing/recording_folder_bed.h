#pragma once

#include <gtest/gtest.h>

#include <string>

#include "agent/recorder/recording_folder.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {

// A folder for recordings.
class RecordingFolderBed : public ::testing::Test {
 protected:
  kernel::TemporaryFolder root_;
  std::string folder_ = root_.path() + "/recording";
  RecordingConfig config_;
};

}  // namespace jettison
