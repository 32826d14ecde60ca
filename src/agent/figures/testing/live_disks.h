#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

#include "kernel/files/testing/temporary_folder.h"

namespace jettison {

inline constexpr std::uint64_t kDiskMi = std::uint64_t{1} << 20;

// For live tests: a folder with file systems of 4, 8 and 16 MiB mounted on "node", "disk2" and
// "disk3", in a mount namespace that vanishes with the process that made it. Others may be made in
// there, in a file each.
class LiveDisks : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "mounting needs root";
    for (const char* name : {"node", "disk2", "disk3"}) MakeFolder(name);
  }
  [[nodiscard]] std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  void MakeFolder(const std::string& name) { ASSERT_EQ(::mkdir(Path(name).c_str(), 0755), 0); }

  // Mounts the three and runs `body` there, in a process of its own; its failures are told on
  // standard output and fail the test.
  void WithDisks(const std::function<void()>& body) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (!MountAll()) ::_exit(kCannotMount);
      body();
      ::_exit(HasFailure() ? 1 : (IsSkipped() ? kCannotMount : 0));
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == kCannotMount) GTEST_SKIP() << "file systems cannot be mounted here";
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }

  // For bodies: makes a file system of a kind ("xfs") in a new file and mounts it on a new folder,
  // through a loop device that frees itself. A body skips where this machine cannot.
  [[nodiscard]] bool MountImage(const std::string& type, const std::string& name,
                                std::uint64_t mebibytes) {
    MakeFolder(name);
    const std::string image = Path(name) + ".image";
    const std::string commands = "PATH=$PATH:/usr/sbin:/sbin; truncate -s " +
                                 std::to_string(mebibytes) + "M " + image + " && mkfs." + type +
                                 " -q " + image + " >/dev/null && mount -t " + type + " -o loop " +
                                 image + " " + Path(name);
    return std::system(commands.c_str()) == 0;
  }

 private:
  static constexpr int kCannotMount = 2;

  bool MountAll() {
    const auto mount = [this](const char* name, const char* size) {
      return ::mount("tmpfs", Path(name).c_str(), "tmpfs", 0, size) == 0;
    };
    return ::unshare(CLONE_NEWNS) == 0 &&
           ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("node", "size=4m") && mount("disk2", "size=8m") && mount("disk3", "size=16m");
  }

  kernel::TemporaryFolder folder_;
};

}  // namespace jettison
