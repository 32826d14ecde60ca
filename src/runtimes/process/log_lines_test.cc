#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "runtimes/process/shim/log_file.h"

namespace jettison::shim {
namespace {

using kernel::ReadFile;
using kernel::TemporaryFolder;

// Adds lines of 9 bytes of text, which are 50 in the log.
void AddLines(LogFile& log, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string text = "row " + std::to_string(10'000 + i);
    log.Add(i, "stdout", {.text = text.data(), .size = text.size(), .full = true});
  }
  log.Flush();
}

class LogFileTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/0.log";
  const std::unique_ptr<LogFile> log_ = std::make_unique<LogFile>();
};

TEST_F(LogFileTest, WritesTheCriLogFormat) {
  ASSERT_TRUE(log_->Open(path_.c_str()));
  log_->Add(0, "stdout", {.text = "out", .size = 3, .full = true});
  log_->Add(1, "stderr", {.text = "half", .size = 4, .full = false});
  log_->Flush();
  EXPECT_EQ(*ReadFile(path_),
            "1970-01-01T00:00:00.000000000Z stdout F out\n"
            "1970-01-01T00:00:00.000000001Z stderr P half\n");
}

TEST_F(LogFileTest, IsOpenedAnewUnderItsPath) {
  ASSERT_TRUE(log_->Open(path_.c_str()));
  AddLines(*log_, 2);
  ASSERT_EQ(std::rename(path_.c_str(), (path_ + ".before").c_str()), 0);
  AddLines(*log_, 1);
  log_->Reopen();
  AddLines(*log_, 1);
  EXPECT_EQ(ReadFile(path_)->size(), 50U);
  EXPECT_EQ(ReadFile(path_ + ".before")->size(), 150U);
}

TEST_F(LogFileTest, AFullDiskLosesOutputAndCountsIt) {
  ASSERT_TRUE(log_->Open("/dev/full"));
  AddLines(*log_, 3);
  EXPECT_EQ(log_->lost_bytes(), 150);
}

}  // namespace
}  // namespace jettison::shim
