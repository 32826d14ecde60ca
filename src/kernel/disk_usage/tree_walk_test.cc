#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "kernel/disk_usage/deleted_files.h"
#include "kernel/disk_usage/disk_trees.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/child_process.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

class TreeWalkTest : public testing::Test {
 protected:
  static void Write(const fs::path& path, std::size_t bytes) {
    std::ofstream(path) << std::string(bytes, 'x');
  }
  static std::uint64_t BlocksOf(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::lstat(path.c_str(), &status), 0);
    return static_cast<std::uint64_t>(status.st_blocks) * 512;
  }
  static TreeUsage Measured(const fs::path& path) {
    DiskTrees walk;
    auto usage = walk.Walk(path);
    EXPECT_TRUE(usage) << usage.error().message;
    return usage.value_or(TreeUsage{});
  }
  const kernel::TemporaryFolder folder_;
  const fs::path base_ = folder_.path();
};

TEST_F(TreeWalkTest, ATreeDeeperThanTheDescriptorsAllowedIsMeasuredWhole) {
  constexpr int kDepth = 1000;
  const int status = InChild([&] {
    // Relative, since the whole path is longer than a path may be.
    if (::chdir(base_.c_str()) != 0) return 2;
    for (int i = 0; i < kDepth; ++i) {
      Write("file", 1);
      if (::mkdir("directory", 0700) != 0 || ::chdir("directory") != 0) return 3;
    }
    const struct rlimit few { .rlim_cur = 100, .rlim_max = 100 };
    if (::setrlimit(RLIMIT_NOFILE, &few) != 0) return 4;
    DiskTrees walk;
    const auto usage = walk.Walk(base_);
    if (!usage || usage->errors != 0) return 5;
    return usage->usage.inodes_used == 2 * kDepth + 1U ? 0 : 6;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(TreeWalkTest, WhatMayNotBeReadIsCountedAsAnErrorAndTheRestIsMeasured) {
  fs::create_directories(base_ / "closed/below");
  Write(base_ / "open", 1);
  ASSERT_EQ(::chmod(base_.c_str(), 0755), 0);
  ASSERT_EQ(::chmod((base_ / "closed").c_str(), 0), 0);
  const int status = InChild([&] {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) return 2;
    DiskTrees walk;
    const auto usage = walk.Walk(base_);
    if (!usage || usage->errors != 1 || usage->first_error.empty()) return 3;
    return usage->usage.inodes_used == 3U ? 0 : 4;
  });
  ASSERT_EQ(::chmod((base_ / "closed").c_str(), 0700), 0);
  EXPECT_EQ(status, 0);
}

TEST_F(TreeWalkTest, FilesThatVanishMeanwhileAreNoErrors) {
  std::atomic<bool> stop = false;
  std::thread churn([&] {
    for (int round = 0; !stop; ++round) {
      const fs::path directory = base_ / ("d" + std::to_string(round % 3));
      fs::create_directories(directory / "below");
      for (int i = 0; i < 20; ++i) Write(directory / std::to_string(i), 1);
      fs::remove_all(directory);
    }
  });
  for (int i = 0; i < 200; ++i) EXPECT_EQ(Measured(base_).first_error, "");
  stop = true;
  churn.join();
}

// In a separate mount namespace, which ends with the child.
class LiveTreeWalk : public TreeWalkTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "mounting needs root";
  }
};

TEST_F(LiveTreeWalk, WhatIsMountedOrBoundIntoTheTreeIsLeftOut) {
  for (const char* name : {"tree/mounted", "tree/folder", "other/folder"}) {
    fs::create_directories(base_ / name);
  }
  Write(base_ / "tree/file", 1);
  Write(base_ / "other/file", 1000);
  Write(base_ / "other/folder/file", 1000);
  const int status = InOwnMounts([&] {
    const fs::path tree = base_ / "tree";
    if (::mount("tmpfs", (tree / "mounted").c_str(), "tmpfs", 0, "size=1m") != 0) return 3;
    Write(tree / "mounted/file", 1000);
    for (const char* name : {"folder", "file"}) {  // of the same file system
      const fs::path other = base_ / "other" / name;
      if (::mount(other.c_str(), (tree / name).c_str(), nullptr, MS_BIND, nullptr) != 0) return 4;
    }
    return Measured(tree).usage.inodes_used == 1U ? 0 : 5;
  });
  EXPECT_EQ(status, 0);
}

std::uint64_t FirstNumberOf(const std::string& command) {
  std::array<char, 256> line{};
  FILE* const pipe = ::popen(command.c_str(), "re");
  if (pipe == nullptr) return 0;
  const bool read = std::fgets(line.data(), line.size(), pipe) != nullptr;
  ::pclose(pipe);
  return read ? std::strtoull(line.data(), nullptr, 10) : 0;
}

// As on hosts that put a writable layer over a read-only image.
TEST_F(LiveTreeWalk, FilesOfAnOverlayOfSeveralFileSystemsCount) {
  const int status = InOwnMounts([&] {
    const auto layer = [this](const char* name) {
      fs::create_directories(base_ / name);
      return ::mount("tmpfs", (base_ / name).c_str(), "tmpfs", 0, "size=1m") == 0;
    };
    if (!layer("lower") || !layer("upper")) return 3;
    for (const char* name : {"upper/files", "upper/work", "tree"}) {
      fs::create_directories(base_ / name);
    }
    Write(base_ / "lower/below", 20000);
    const std::string layers = "lowerdir=" + (base_ / "lower").string() +
                               ",upperdir=" + (base_ / "upper/files").string() +
                               ",workdir=" + (base_ / "upper/work").string();
    const std::string tree = base_ / "tree";
    if (::mount("overlay", tree.c_str(), "overlay", 0, layers.c_str()) != 0) return 4;
    Write(base_ / "tree/above", 10000);
    Write(base_ / "tree/bound", 10000);
    const std::string bound = base_ / "tree/bound";
    if (::mount((base_ / "lower/below").c_str(), bound.c_str(), nullptr, MS_BIND, nullptr) != 0) {
      return 5;
    }
    const std::uint64_t wanted =
        BlocksOf(tree) + BlocksOf(base_ / "tree/above") + BlocksOf(base_ / "tree/below");
    return Measured(tree).usage.used_bytes == wanted ? 0 : 6;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(TreeWalkTest, AgreesWithDuOnAGeneratedTree) {
  for (std::size_t d = 0; d < 20; ++d) {
    const fs::path directory = base_ / ("d" + std::to_string(d % 5)) / std::to_string(d);
    fs::create_directories(directory);
    for (std::size_t f = 0; f < 30; ++f) {
      Write(directory / std::to_string(f), d * f * 37);
    }
    fs::create_hard_link(directory / "3", base_ / ("link" + std::to_string(d)));
    fs::create_symlink(directory / "4", base_ / ("symbolic" + std::to_string(d)));
  }
  ::sync();  // ends delayed allocation, so that both see the same blocks
  const TreeUsage usage = Measured(base_);
  EXPECT_EQ(usage.usage.used_bytes, FirstNumberOf("du -sx --block-size=1 " + base_.string()));
  EXPECT_EQ(usage.usage.inodes_used, FirstNumberOf("du -sx --inodes " + base_.string()));
  EXPECT_EQ(usage.errors, 0U);
}

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
