#include "kernel/fs_events/filesystem_events.h"

#include <fcntl.h>
#include <gtest/gtest.h>
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
    return InOwnMounts([&] {
      if (::mount("tmpfs", name.c_str(), "tmpfs", 0, "size=4m") != 0) return 3;
      fs::create_directories(fs::path(name) / "a/b");
      auto events = FilesystemEvents::Of(name);
      return events ? body(name, *events) : 77;
    });
  }
};

#define EXPECT_ON_TMPFS(body)                                     \
  do {                                                            \
    const int status = OnTmpfs(body);                             \
    if (status == 77) GTEST_SKIP() << "no handles on tmpfs here"; \
    EXPECT_EQ(status, 0);                                         \
  } while (false)

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

// On the file system of temporary files, which other programs may use, too.
TEST_F(LiveFilesystemEvents, WritesThroughAnOverlayAreToldWhereTheKernelsReleaseSaysSo) {
  const kernel::TemporaryFolder folder;
  const std::string& top = folder.path();
  const auto events = FilesystemEvents::Of(top);
  const int status = InOwnMounts([&] {
    for (const char* name : {"lower", "upper", "work", "merged"}) {
      fs::create_directory(fs::path(top) / name);
    }
    const std::string layers =
        "lowerdir=" + top + "/lower,upperdir=" + top + "/upper,workdir=" + top + "/work";
    if (::mount("overlay", (top + "/merged").c_str(), "overlay", 0, layers.c_str()) != 0) return 77;
    std::ofstream(top + "/merged/file") << "x";
    auto own = FilesystemEvents::Of(top);
    const int fd = ::open((top + "/merged/file").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (!own || ::write(fd, "more", 4) != 4) return 10;
    const bool told = Tells(own->Take(), HandleOfFolder(top + "/upper"));
    return told == KernelAnnouncesOverlayWrites() ? 0 : 11;
  });
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
