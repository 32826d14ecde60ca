#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <cerrno>
#include <string>

#include "kernel/files/own_folders.h"
#include "ports/file_descriptor.h"

namespace jettison::kernel {
namespace {

class AwaitLockTest : public testing::Test {
 protected:
  [[nodiscard]] FileDescriptor Open() const {
    return FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }
  void TearDown() override { ::unlink(path_.c_str()); }

 private:
  std::string path_ = testing::TempDir() + "await-lock-" + std::to_string(::getpid());
};

TEST_F(AwaitLockTest, WhatADeadAgentForkedGivesTheLockBackSoon) {
  FileDescriptor forked = Open();
  ASSERT_EQ(::flock(forked.get(), LOCK_EX), 0);
  const FileDescriptor file = Open();
  int pauses = 0;
  EXPECT_TRUE(AwaitLock(file.get(), [&] {
    if (++pauses == 3) forked.Close();
  }));
  EXPECT_EQ(pauses, 3);
}

TEST_F(AwaitLockTest, AnAgentThatLivesKeepsIt) {
  const FileDescriptor living = Open();
  ASSERT_EQ(::flock(living.get(), LOCK_EX), 0);
  const FileDescriptor file = Open();
  int pauses = 0;
  EXPECT_FALSE(AwaitLock(file.get(), [&] {
    ++pauses;
    errno = 0;
  }));
  EXPECT_EQ(errno, EWOULDBLOCK);
  EXPECT_EQ(pauses, 99);
}

}  // namespace
}  // namespace jettison::kernel
