#include "kernel/disk_usage/deleted_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include "kernel/files/temporary_folder.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

// The test holds files itself.
class DeletedFilesTest : public testing::Test {
 protected:
  DeletedFilesTest() {
    struct stat status {};
    EXPECT_EQ(::stat(folder_.path().c_str(), &status), 0);
    device_ = status.st_dev;
  }
  FileDescriptor Hold(const std::string& name, std::size_t bytes) {
    FileDescriptor file(
        ::open((folder_.path() + "/" + name).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    const std::string text(bytes, 'x');
    EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(bytes));
    return file;
  }
  void Delete(const std::string& name) {
    EXPECT_EQ(::unlink((folder_.path() + "/" + name).c_str()), 0);
  }
  DeletedFiles Find(const DevicesOfDisk& devices, std::size_t most = 1000) {
    return DeletedFilesOf(std::array{::getpid(), ::getpid()}, devices, most);
  }

  const kernel::TemporaryFolder folder_;
  dev_t device_ = 0;
};

TEST_F(DeletedFilesTest, AFileCountsFromItsDeletionUntilItIsClosedAndOnce) {
  FileDescriptor file = Hold("a", 100'000);
  const FileDescriptor stays = Hold("b", 5000);
  EXPECT_FALSE(Find({.node = device_}).on_node.used_bytes);
  Delete("a");
  const FileDescriptor again(::dup(file.get()));
  const DeletedFiles found = Find({.node = device_});
  EXPECT_GE(found.on_node.used_bytes.value_or(0), 100'000U);
  EXPECT_LT(found.on_node.used_bytes.value_or(0), 200'000U);
  EXPECT_EQ(found.on_node.inodes_used, 1U);
  EXPECT_FALSE(found.in_layers.used_bytes);
  EXPECT_FALSE(found.unread);
}

TEST_F(DeletedFilesTest, BeyondSoManyDescriptorsTheRestIsUnread) {
  const FileDescriptor file = Hold("a", 5000);
  Delete("a");
  const DeletedFiles found = Find({.node = device_}, 1);
  EXPECT_TRUE(found.unread);
  EXPECT_FALSE(found.on_node.used_bytes);
}

TEST_F(DeletedFilesTest, WhatTheThreadsOfAnEndedFirstThreadHoldCounts) {
  const FileDescriptor file = Hold("a", 5000);
  Delete("a");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // A sanitizer reads of the process while a thread begins, which an ended first thread prevents.
    std::atomic<bool> runs = false;
    std::thread([&runs] {
      runs = true;
      ::pause();
    }).detach();
    while (!runs) ::usleep(1'000);
    ::syscall(SYS_exit, 0);
  }
  const auto stat = [child] {
    std::string text;
    std::getline(std::ifstream("/proc/" + std::to_string(child) + "/stat"), text);
    return text;
  };
  for (int i = 0; i < 1000 && stat().find(") Z ") == std::string::npos; ++i) ::usleep(10'000);
  std::size_t most = 1000;
  const DeletedFiles found = DeletedFilesOf(std::array{child}, {.node = device_}, most);
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(found.on_node.inodes_used, 1U);
}

}  // namespace
}  // namespace jettison
