#include "platform/manifests/manifest_directory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace jettison {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

// A folder that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "manifests-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

// "name=text", "name gone", "name: error", without the folder.
std::vector<std::string> Told(const std::vector<ManifestChange>& changes) {
  std::vector<std::string> told;
  for (const ManifestChange& change : changes) {
    const std::string name = fs::path(change.file).filename();
    if (const auto* text = std::get_if<ManifestText>(&change.now)) {
      told.push_back(name + "=" + text->text);
    } else if (const auto* unreadable = std::get_if<ManifestUnreadable>(&change.now)) {
      told.push_back(name + ": " + unreadable->error.message);
    } else {
      told.push_back(name + " gone");
    }
  }
  return told;
}

bool IsReadable(int fd) {
  pollfd poll_fd = {.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&poll_fd, 1, 0) == 1;
}

void MakeOld(const fs::path& path) {
  const std::array<timespec, 2> times = {timespec{1000, 0}, timespec{1000, 0}};
  utimensat(AT_FDCWD, path.c_str(), times.data(), 0);
}

TEST(ManifestDirectory, FirstRescanTellsEveryFileButHiddenOnesAndFolders) {
  const TemporaryFolder folder;
  folder.Write("b.yaml", "b");
  folder.Write("a.json", "a");
  folder.Write(".hidden.yaml", "x");
  fs::create_directory(folder / "sub");
  auto directory = ManifestDirectory::Open(folder.path() + "/").value();
  EXPECT_THAT(Told(directory.Rescan()), ElementsAre("a.json=a", "b.yaml=b"));
  EXPECT_THAT(directory.Rescan(), IsEmpty());
  EXPECT_TRUE(directory.watched().has_value());
}

TEST(ManifestDirectory, TellsFilesThatAppearChangeAndGo) {
  const TemporaryFolder folder;
  auto directory = ManifestDirectory::Open(folder.path()).value();
  EXPECT_THAT(directory.Rescan(), IsEmpty());
  EXPECT_FALSE(IsReadable(directory.fd()));
  folder.Write("a", "one");
  EXPECT_TRUE(IsReadable(directory.fd()));
  EXPECT_THAT(Told(directory.TakeChanges()), ElementsAre("a=one"));
  folder.Write("a", "two");
  EXPECT_THAT(Told(directory.TakeChanges()), ElementsAre("a=two"));
  fs::remove(folder / "a");
  EXPECT_THAT(Told(directory.TakeChanges()), ElementsAre("a gone"));
  EXPECT_FALSE(IsReadable(directory.fd()));
}

TEST(ManifestDirectory, AFileThatIsBeingWrittenIsReadWhenItsWriterCloses) {
  const TemporaryFolder folder;
  auto directory = ManifestDirectory::Open(folder.path()).value();
  static_cast<void>(directory.Rescan());
  {
    std::ofstream file(folder / "a");
    file << "half" << std::flush;
    EXPECT_THAT(directory.TakeChanges(), IsEmpty());
    EXPECT_THAT(directory.Rescan(), IsEmpty());
    file << " and half";
  }
  EXPECT_THAT(Told(directory.TakeChanges()), ElementsAre("a=half and half"));
}

TEST(ManifestDirectory, AFileMovedOrLinkedIntoTheFolderIsReadAtOnce) {
  const TemporaryFolder elsewhere;
  const TemporaryFolder folder;
  elsewhere.Write("x", "x");
  auto directory = ManifestDirectory::Open(folder.path()).value();
  fs::create_symlink(elsewhere / "x", folder / "soft");
  fs::create_hard_link(elsewhere / "x", folder / "hard");
  EXPECT_THAT(Told(directory.TakeChanges()), ElementsAre("hard=x", "soft=x"));
  fs::rename(elsewhere / "x", folder / "moved");
  EXPECT_THAT(Told(directory.TakeChanges()), ElementsAre("moved=x"));
  fs::rename(folder / "moved", folder / ".moved");
  // The soft link leads nowhere now: a change behind a hidden name makes it look at every file.
  // The hard link has another time of change and is told again.
  EXPECT_THAT(Told(directory.TakeChanges()), ElementsAre("hard=x", "moved gone", "soft gone"));
}

TEST(ManifestDirectory, RescanFindsWhatTheKernelDidNotTell) {
  const TemporaryFolder folder;
  folder.Write("a", "one");
  auto directory = ManifestDirectory::Open(folder.path()).value();
  static_cast<void>(directory.Rescan());
  folder.Write("a", "other");
  MakeOld(folder / "a");
  EXPECT_THAT(Told(directory.Rescan()), ElementsAre("a=other"));
  EXPECT_THAT(directory.TakeChanges(), IsEmpty());
}

TEST(ManifestDirectory, AFolderThatAppearsLaterIsFoundByRescan) {
  const TemporaryFolder folder;
  auto directory = ManifestDirectory::Open((folder / "later").string()).value();
  EXPECT_THAT(directory.Rescan(), IsEmpty());
  EXPECT_EQ(directory.watched().error().code, ErrorCode::kNotFound);
  fs::create_directory(folder / "later");
  std::ofstream(folder / "later" / "a") << "a";
  EXPECT_THAT(Told(directory.Rescan()), ElementsAre("a=a"));
  EXPECT_TRUE(directory.watched().has_value());
  std::ofstream(folder / "later" / "b") << "b";
  EXPECT_THAT(Told(directory.TakeChanges()), ElementsAre("b=b"));
  fs::remove_all(folder / "later");
  EXPECT_THAT(Told(directory.TakeChanges()), ElementsAre("a gone", "b gone"));
}

TEST(ManifestDirectory, ThePathMayBeASingleFile) {
  const TemporaryFolder folder;
  folder.Write("a", "a");
  folder.Write("b", "b");
  auto directory = ManifestDirectory::Open((folder / "a").string()).value();
  EXPECT_THAT(Told(directory.Rescan()), ElementsAre("a=a"));
  folder.Write("b", "bb");
  EXPECT_THAT(directory.TakeChanges(), IsEmpty());
  folder.Write("a", "aa");
  EXPECT_THAT(Told(directory.TakeChanges()), ElementsAre("a=aa"));
}

TEST(ManifestDirectory, WhatIsNoFileOrTooLargeIsToldOnceAsUnreadable) {
  const TemporaryFolder folder;
  mkfifo((folder / "fifo").c_str(), 0600);
  folder.Write("large", "");
  fs::resize_file(folder / "large", kMaxManifestBytes + 1);
  auto directory = ManifestDirectory::Open(folder.path()).value();
  EXPECT_THAT(Told(directory.Rescan()),
              ElementsAre("fifo: is not a regular file", "large: is larger than 10 MiB"));
  EXPECT_THAT(directory.Rescan(), IsEmpty());
}

}  // namespace
}  // namespace jettison
