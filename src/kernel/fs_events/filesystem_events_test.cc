#include "kernel/fs_events/filesystem_events.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/child_process.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

FileHandle HandleOfFolder(const std::string& path) {
  struct alignas(file_handle) {
    std::array<std::byte, sizeof(file_handle) + FileHandle::kMaxBytes> bytes{};
  } buffer;
  auto* const head = reinterpret_cast<file_handle*>(buffer.bytes.data());
  head->handle_bytes = FileHandle::kMaxBytes;
  int mount = 0;
  FileHandle handle;
  if (::name_to_handle_at(AT_FDCWD, path.c_str(), head, &mount, 0) != 0) return handle;
  handle.type = head->handle_type;
  handle.size = head->handle_bytes;
  std::memcpy(handle.bytes.data(), head->f_handle, handle.size);
  return handle;
}

bool Tells(const FilesystemEvents::Changes& changes, const FileHandle& directory) {
  return std::ranges::any_of(changes.directories, [&](const DirectoryChange& change) {
    return KeyOf(change.directory) == KeyOf(directory);
  });
}

// A small file system for each test, in a mount namespace that ends with the child, so that nothing
// else changes it.
class LiveFilesystemEvents : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "marking a file system needs root";
  }
  // 77: the kernel cannot mark a tmpfs.
  static int OnTmpfs(const std::function<int(const fs::path&, FilesystemEvents&)>& body) {
    const kernel::TemporaryFolder folder;
    const std::string& name = folder.path();
    ChildProcess child([&](const auto& /*ready*/) {
      if (::unshare(CLONE_NEWNS) != 0 ||
          ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          ::mount("tmpfs", name.c_str(), "tmpfs", 0, "size=4m") != 0) {
        ::_exit(2);
      }
      fs::create_directories(fs::path(name) / "a/b");
      auto events = FilesystemEvents::Of(name);
      ::_exit(events ? body(name, *events) : 77);
    });
    child.Start();
    return WEXITSTATUS(child.Wait());
  }
};

#define EXPECT_ON_TMPFS(body)                                     \
  do {                                                            \
    const int status = OnTmpfs(body);                             \
    if (status == 77) GTEST_SKIP() << "no handles on tmpfs here"; \
    EXPECT_EQ(status, 0);                                         \
  } while (false)

TEST_F(LiveFilesystemEvents, EachChangedDirectoryIsToldOnce) {
  EXPECT_ON_TMPFS([](const fs::path& top, FilesystemEvents& events) {
    if (!events.Take().directories.empty()) return 10;
    for (int i = 0; i < 20; ++i) std::ofstream(top / "a/b" / std::to_string(i)) << i;
    std::ofstream(top / "a/f") << "x";
    const auto changes = events.Take();
    if (changes.lost || changes.directories.size() != 2) return 11;
    if (changes.directories[0].subdirectories) return 12;
    return events.Take().directories.empty() ? 0 : 13;
  });
}

TEST_F(LiveFilesystemEvents, WritesAndTruncationsOfOpenFilesAreTold) {
  EXPECT_ON_TMPFS([](const fs::path& top, FilesystemEvents& events) {
    const int fd = ::open((top / "a/f").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    static_cast<void>(events.Take());
    if (::write(fd, "x", 1) != 1 || events.Take().directories.size() != 1) return 10;
    if (::ftruncate(fd, 100000) != 0 || events.Take().directories.size() != 1) return 11;
    if (::fallocate(fd, 0, 0, 200000) != 0 || events.Take().directories.size() != 1) return 12;
    return 0;
  });
}

TEST_F(LiveFilesystemEvents, DirectoriesMadeRemovedAndMovedAreSubdirectories) {
  EXPECT_ON_TMPFS([](const fs::path& top, FilesystemEvents& events) {
    fs::create_directory(top / "a/new");
    const auto made = events.Take();
    if (made.directories.size() != 1 || !made.directories[0].subdirectories) return 10;
    fs::rename(top / "a/new", top / "a/b/new");
    const auto moved = events.Take();
    if (moved.directories.size() != 2 || !moved.directories[1].subdirectories) return 11;
    fs::remove(top / "a/b/new");
    const auto removed = events.Take();
    return removed.directories.size() == 1 && removed.directories[0].subdirectories ? 0 : 12;
  });
}

// On the file system of temporary files, which other programs may use, too.
TEST_F(LiveFilesystemEvents, WritesThroughAnOverlayAreToldWhereTheKernelsReleaseSaysSo) {
  const kernel::TemporaryFolder folder;
  const std::string& top = folder.path();
  const auto events = FilesystemEvents::Of(top);
  ChildProcess child([&](const auto& /*ready*/) {
    for (const char* name : {"lower", "upper", "work", "merged"}) {
      fs::create_directory(fs::path(top) / name);
    }
    const std::string layers =
        "lowerdir=" + top + "/lower,upperdir=" + top + "/upper,workdir=" + top + "/work";
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("overlay", (top + "/merged").c_str(), "overlay", 0, layers.c_str()) != 0) {
      ::_exit(77);
    }
    std::ofstream(top + "/merged/file") << "x";
    auto own = FilesystemEvents::Of(top);
    const int fd = ::open((top + "/merged/file").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (!own || ::write(fd, "more", 4) != 4) ::_exit(10);
    const bool told = Tells(own->Take(), HandleOfFolder(top + "/upper"));
    ::_exit(told == KernelAnnouncesOverlayWrites() ? 0 : 11);
  });
  child.Start();
  const int status = WEXITSTATUS(child.Wait());
  if (!events || status == 77) GTEST_SKIP() << "this file system cannot tell, or hold an overlay";
  EXPECT_EQ(status, 0);
}

TEST_F(LiveFilesystemEvents, MoreThanTheQueueHoldsIsLost) {
  std::ifstream limit("/proc/sys/fs/fanotify/max_queued_events");
  int most = 0;
  if (!(limit >> most) || most > 20000) GTEST_SKIP() << "the queue is too long to fill quickly";
  EXPECT_ON_TMPFS([most](const fs::path& top, FilesystemEvents& events) {
    for (int i = 0; i < most; ++i) fs::create_directory(top / "a" / std::to_string(i));
    for (int i = 0; i < most; ++i) std::ofstream(top / "a" / std::to_string(i) / "f");
    return events.Take().lost && !events.Take().lost ? 0 : 10;
  });
}

}  // namespace
}  // namespace jettison
