// The removal of files by a shim, without the agent that has ordered it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "runtimes/process/runs/shim_order.h"
#include "runtimes/process/shim/protocol.h"

namespace jettison::process {
namespace {

// The exit status of a shim with this order; `agent_is_there`: somebody holds the other end of its
// socket.
int StatusOfShim(const std::string& order, bool agent_is_there) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
  const int file = ::memfd_create("order", MFD_CLOEXEC);
  EXPECT_EQ(::write(file, order.data(), order.size()), static_cast<ssize_t>(order.size()));
  if (!agent_is_there) ::close(ends[0]);
  const pid_t shim = ::fork();
  if (shim == 0) {
    // Above the numbers that they get.
    const int socket = ::fcntl(ends[1], F_DUPFD_CLOEXEC, 64);
    const int order_file = ::fcntl(file, F_DUPFD_CLOEXEC, 64);
    if (agent_is_there) ::close(ends[0]);
    ::dup2(socket, shim::kAgentSocket);
    ::dup2(order_file, shim::kOrderFile);
    ::execl(JETTISON_SHIM, "jettison-shim", "remove", nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  ::close(file);
  int status = 0;
  EXPECT_EQ(::waitpid(shim, &status, 0), shim);
  if (agent_is_there) ::close(ends[0]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ShimRemoval, NothingIsRemovedForAnAgentThatIsGone) {
  const kernel::TemporaryFolder folder;
  const std::string tree = folder.path() + "/pods/u";
  ASSERT_TRUE(kernel::MakeFolders(tree + "/volumes"));
  const std::string order = Format(RemoveOrder{.volume_folders = {}, .trees = {tree}});
  EXPECT_EQ(StatusOfShim(order, false), 1);
  EXPECT_TRUE(kernel::Exists(tree)) << "the next agent may have made a pod there";
  EXPECT_EQ(StatusOfShim(order, true), 0);
  EXPECT_FALSE(kernel::Exists(tree));
}

TEST(ShimRemoval, WhatIsNotThereNeedNotBeRemovedFromAReadOnlyFileSystem) {
  const kernel::TemporaryFolder folder;
  const auto status_for = [&](const std::string& tree) {
    return StatusOfShim(Format(RemoveOrder{.volume_folders = {}, .trees = {tree}}), true);
  };
  const pid_t child = ::fork();
  if (child == 0) {
    const char* const path = folder.path().c_str();
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", path, "tmpfs", 0, "size=1m") != 0 ||
        ::mkdir((folder.path() + "/there").c_str(), 0700) != 0 ||
        ::mount("none", path, nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
      ::_exit(77);
    }
    ::_exit(status_for(folder.path() + "/none") == 0 && status_for(folder.path() + "/there") == 1
                ? 0
                : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "file systems cannot be mounted here";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace jettison::process
