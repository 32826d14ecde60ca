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
#include <vector>

#include "kernel/files/testing/temporary_folder.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

// Processes of their own hold the files: in this one, other tests may have left some behind.
class DeletedFilesTest : public testing::Test {
 protected:
  DeletedFilesTest() {
    struct stat status {};
    EXPECT_EQ(::stat(folder_.path().c_str(), &status), 0);
    device_ = status.st_dev;
  }
  ~DeletedFilesTest() override {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      EXPECT_EQ(::waitpid(child, nullptr, 0), child);
    }
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
  // A process that holds these files and no others.
  pid_t ProcessWith(const std::vector<int>& files) {
    const pid_t child = Fork(files);
    if (child == 0) ::raise(SIGSTOP);
    EXPECT_EQ(::waitpid(child, nullptr, WUNTRACED), child);
    return child;
  }
  // The same, whose first thread has ended.
  pid_t ProcessOfAThreadWith(const std::vector<int>& files) {
    const pid_t child = Fork(files);
    if (child == 0) {
      // A sanitizer reads of the process while a thread begins, which an ended first thread
      // prevents.
      std::atomic<bool> runs = false;
      std::thread([&runs] {
        runs = true;
        runs.notify_one();
        ::pause();
      }).detach();
      runs.wait(false);
      ::syscall(SYS_exit, 0);
    }
    const auto stat = [child] {
      std::string text;
      std::getline(std::ifstream("/proc/" + std::to_string(child) + "/stat"), text);
      return text;
    };
    for (int i = 0; i < 1000 && stat().find(") Z ") == std::string::npos; ++i) ::usleep(10'000);
    return child;
  }
  DeletedFiles Find(pid_t process, std::size_t most = 1000) {
    return DeletedFilesOf(std::array{process, process}, {.node = device_}, most);
  }

  const kernel::TemporaryFolder folder_;
  dev_t device_ = 0;

 private:
  pid_t Fork(const std::vector<int>& files) {
    constexpr unsigned kHigh = 500;
    const pid_t child = ::fork();
    if (child == 0) {
      for (const int file : files) ::fcntl(file, F_DUPFD, kHigh);
      ::close_range(STDERR_FILENO + 1, kHigh - 1, 0);
      ::close_range(kHigh + static_cast<unsigned>(files.size()), ~0U, 0);
      return child;
    }
    children_.push_back(child);
    return child;
  }

  std::vector<pid_t> children_;
};

TEST_F(DeletedFilesTest, AFileCountsFromItsDeletionAndOnce) {
  const FileDescriptor file = Hold("a", 100'000);
  const FileDescriptor stays = Hold("b", 5000);
  const pid_t process = ProcessWith({file.get(), file.get(), stays.get()});
  EXPECT_FALSE(Find(process).on_node.used_bytes);
  Delete("a");
  const DeletedFiles found = Find(process);
  EXPECT_GE(found.on_node.used_bytes.value_or(0), 100'000U);
  EXPECT_LT(found.on_node.used_bytes.value_or(0), 200'000U);
  EXPECT_EQ(found.on_node.inodes_used, 1U);
  EXPECT_FALSE(found.in_layers.used_bytes);
  EXPECT_FALSE(found.unread);
}

TEST_F(DeletedFilesTest, BeyondSoManyDescriptorsTheRestIsUnread) {
  const FileDescriptor file = Hold("a", 5000);
  Delete("a");
  const DeletedFiles found = Find(ProcessWith({file.get()}), 1);
  EXPECT_TRUE(found.unread);
  EXPECT_FALSE(found.on_node.used_bytes);
}

TEST_F(DeletedFilesTest, WhatTheThreadsOfAnEndedFirstThreadHoldCounts) {
  const FileDescriptor file = Hold("a", 5000);
  Delete("a");
  EXPECT_EQ(Find(ProcessOfAThreadWith({file.get()})).on_node.inodes_used, 1U);
}

}  // namespace
}  // namespace jettison
