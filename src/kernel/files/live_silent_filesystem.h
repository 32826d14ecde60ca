#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <system_error>
#include <utility>

#include "kernel/files/testing/temporary_folder.h"
#include "ports/file_descriptor.h"

namespace jettison {

// For live tests: a file system of a program that never says anything, which is the test itself.
class LiveSilentFilesystem : public testing::Test {
 protected:
  void SetUp() override {
    fuse_ = FileDescriptor(::open("/dev/fuse", O_RDWR | O_CLOEXEC));
    if (::geteuid() != 0 || !fuse_) GTEST_SKIP() << "needs root and /dev/fuse";
    folder_ = base_ + "/mounted";
    ASSERT_EQ(::mkdir(folder_.c_str(), 0755), 0);
    const std::string options =
        fmt::format("fd={},rootmode=40000,user_id=0,group_id=0", fuse_.get());
    mounted_ =
        ::mount("silent", folder_.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
    if (!mounted_) GTEST_SKIP() << "FUSE cannot be mounted";
  }
  void TearDown() override {
    fuse_.Close();  // whoever waits for it is told
    Unmount();
  }
  // What is below is an ordinary folder.
  void Unmount() {
    if (std::exchange(mounted_, false)) ::umount2(folder_.c_str(), MNT_DETACH);
  }

  // Runs `body`. False where it waits for the file system: then that one ends, so that it returns.
  [[nodiscard]] bool ReturnsWhileItIsSilent(const std::function<void()>& body) {
    constexpr std::chrono::seconds kPatience{20};
    const auto done = std::async(std::launch::async, body);
    const bool returned = done.wait_for(kPatience) == std::future_status::ready;
    if (!returned) fuse_.Close();
    return returned;
  }

  FileDescriptor fuse_;
  const kernel::TemporaryFolder temporary_;
  const std::string base_ =
      temporary_.path();  // a folder of the test's own, on a file system that answers
  std::string folder_;    // in there, where the silent one is mounted
  bool mounted_ = false;
};

}  // namespace jettison
