#include "sources/manifests/manifest_directory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/scarcity.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class TemporaryFolder : public kernel::TemporaryFolder {
 public:
  [[nodiscard]] fs::path operator/(const std::string& name) const {
    return fs::path(path()) / name;
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(path() + "/" + name) << text;
  }
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
    } else if (std::holds_alternative<ManifestUnsettled>(change.now)) {
      told.push_back(name + " unsettled");
    } else {
      const bool with_folder = std::get<ManifestGone>(change.now).with_folder;
      told.push_back(name + (with_folder ? " gone with its folder" : " gone"));
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

TEST(ManifestDirectory, TheFirstLookTellsEveryFileButHiddenOnesAndFolders) {
  const TemporaryFolder folder;
  folder.Write("b.yaml", "b");
  folder.Write("a.json", "a");
  folder.Write(".hidden.yaml", "x");
  fs::create_directory(folder / "sub");
  ManifestDirectory directory(folder.path() + "/");
  EXPECT_THAT(Told(directory.Look()), ElementsAre("a.json=a", "b.yaml=b"));
  EXPECT_THAT(directory.Look(), IsEmpty());
  EXPECT_TRUE(directory.watched().has_value());
}

TEST(ManifestDirectory, TellsFilesThatAppearChangeAndGo) {
  const TemporaryFolder folder;
  ManifestDirectory directory(folder.path());
  EXPECT_THAT(directory.Look(), IsEmpty());
  EXPECT_FALSE(IsReadable(directory.fd()));
  folder.Write("a", "one");
  EXPECT_TRUE(IsReadable(directory.fd()));
  EXPECT_THAT(Told(directory.Look()), ElementsAre("a=one"));
  folder.Write("a", "two");
  EXPECT_THAT(Told(directory.Look()), ElementsAre("a=two"));
  folder.Write("b", "b");
  EXPECT_THAT(Told(directory.Look()), ElementsAre("b=b"));
  fs::remove(folder / "a");
  EXPECT_THAT(Told(directory.Look()), ElementsAre("a gone"));
  EXPECT_FALSE(IsReadable(directory.fd()));
}

TEST(ManifestDirectory, AFolderThatAppearsLaterIsFoundByTheNextLook) {
  const TemporaryFolder folder;
  ManifestDirectory directory((folder / "later").string());
  EXPECT_THAT(directory.Look(), IsEmpty());
  EXPECT_EQ(directory.watched().error().code, ErrorCode::kNotFound);
  fs::create_directory(folder / "later");
  std::ofstream(folder / "later" / "a") << "a";
  EXPECT_THAT(Told(directory.Look()), ElementsAre("a=a"));
  EXPECT_TRUE(directory.watched().has_value());
  std::ofstream(folder / "later" / "b") << "b";
  EXPECT_THAT(Told(directory.Look()), ElementsAre("b=b"));
  fs::remove_all(folder / "later");
  EXPECT_THAT(Told(directory.Look()),
              ElementsAre("a gone with its folder", "b gone with its folder"));
}

TEST(ManifestDirectory, FilesThatGoTogetherAndLeaveNothingGoWithTheirFolder) {
  const TemporaryFolder folder;
  folder.Write("a", "a");
  folder.Write("b", "b");
  ManifestDirectory directory(folder.path());
  static_cast<void>(directory.Look());
  fs::remove(folder / "a");
  fs::remove(folder / "b");
  EXPECT_THAT(Told(directory.Look()),
              ElementsAre("a gone with its folder", "b gone with its folder"));
}

TEST(ManifestDirectory, AFileThatCannotBeReadIsThereAndTriedAgain) {
  const TemporaryFolder folder;
  folder.Write("a", "a");
  ManifestDirectory directory(folder.path());
  // A loop of links cannot be resolved, not even by root.
  fs::create_symlink("loop", folder / "loop");
  EXPECT_THAT(Told(directory.Look()),
              ElementsAre("a=a", "loop: stat: Too many levels of symbolic links"));
  EXPECT_THAT(Told(directory.Look()), ElementsAre("loop: stat: Too many levels of symbolic links"));
  fs::remove(folder / "loop");
  EXPECT_THAT(Told(directory.Look()), ElementsAre("loop gone"));
}

TEST(ManifestDirectory, NothingIsGoneWhileDescriptorsRunOut) {
  const TemporaryFolder folder;
  folder.Write("a", "a");
  ManifestDirectory directory(folder.path());
  static_cast<void>(directory.Look());
  folder.Write("a", "aa");
  MakeOld(folder / "a");
  {
    const ScarceDescriptors none;
    EXPECT_THAT(directory.Look(), IsEmpty());
    EXPECT_FALSE(directory.watched());
  }
  EXPECT_THAT(Told(directory.Look()), ElementsAre("a=aa"));
}

class OpenForWriting : public testing::Test {
 protected:
  void SetUp() override {
    folder_.Write("a", "pod a");
    ASSERT_THAT(Told(directory_.Look()), ElementsAre("a=pod a"));
    writer_ = FileDescriptor(open((folder_ / "a").c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    ASSERT_EQ(write(writer_.get(), "half", 4), 4);
    const FileDescriptor reader(open((folder_ / "a").c_str(), O_RDONLY | O_CLOEXEC));
    if (fcntl(reader.get(), F_SETLEASE, F_RDLCK) == 0 || errno != EAGAIN) {
      GTEST_SKIP() << "this file system has no leases";
    }
  }
  // The writer wrote that long ago.
  void Pause(std::time_t seconds) const {
    const timespec then = {.tv_sec = std::time(nullptr) - seconds, .tv_nsec = 0};
    const std::array<timespec, 2> times = {then, then};
    ASSERT_EQ(utimensat(AT_FDCWD, (folder_ / "a").c_str(), times.data(), 0), 0);
  }

  const TemporaryFolder folder_;
  ManifestDirectory directory_{folder_.path()};
  FileDescriptor writer_;
};

TEST_F(OpenForWriting, AFileIsNotReadWhileItsWriterPauses) {
  Pause(5);
  EXPECT_THAT(Told(directory_.Look()), ElementsAre("a unsettled"));
  ManifestDirectory another(folder_.path());
  EXPECT_THAT(Told(another.Look()), ElementsAre("a unsettled"))
      << "nor by an agent that starts now";
  ASSERT_EQ(write(writer_.get(), " and half", 9), 9);
  writer_.Close();
  EXPECT_THAT(Told(directory_.Look()), ElementsAre("a=half and half"));
}

TEST_F(OpenForWriting, AFileThatWasLeftIsLookedAtAgain) {
  const TemporaryFolder elsewhere;
  fs::create_hard_link(folder_ / "a", elsewhere / "a");
  writer_ = FileDescriptor(open((elsewhere / "a").c_str(), O_WRONLY | O_CLOEXEC));
  folder_.Write("a", "whole");
  EXPECT_THAT(Told(directory_.Look()), ElementsAre("a unsettled"));
  EXPECT_TRUE(directory_.AnyUnsettled());
  writer_.Close();
  EXPECT_FALSE(IsReadable(directory_.fd()));  // the kernel tells of the other folder
  EXPECT_THAT(Told(directory_.Look()), ElementsAre("a=whole"));
  EXPECT_FALSE(directory_.AnyUnsettled());
  EXPECT_THAT(directory_.Look(), IsEmpty());
}

TEST(ManifestDirectory, ThePathMayBeASingleFile) {
  const TemporaryFolder folder;
  folder.Write("a", "a");
  folder.Write("b", "b");
  ManifestDirectory directory((folder / "a").string());
  EXPECT_THAT(Told(directory.Look()), ElementsAre("a=a"));
  folder.Write("b", "bb");
  EXPECT_THAT(directory.Look(), IsEmpty());
  folder.Write("a", "aa");
  EXPECT_THAT(Told(directory.Look()), ElementsAre("a=aa"));
}

TEST(ManifestDirectory, WhatIsNoFileOrTooLargeIsToldOnceAsUnreadable) {
  const TemporaryFolder folder;
  mkfifo((folder / "fifo").c_str(), 0600);
  folder.Write("large", "");
  fs::resize_file(folder / "large", kMaxManifestBytes + 1);
  ManifestDirectory directory(folder.path());
  EXPECT_THAT(Told(directory.Look()),
              ElementsAre("fifo: is not a regular file", "large: is larger than 3 MiB"));
  EXPECT_THAT(directory.Look(), IsEmpty());
}

TEST(ManifestDirectory, FilesThatTogetherAreTooLargeAreReadAsFarAsThereIsRoom) {
  const TemporaryFolder folder;
  const std::string large(kMaxManifestBytes, 'x');
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) folder.Write(name, large);
  ManifestDirectory directory(folder.path());
  const auto told = directory.Look();
  ASSERT_EQ(told.size(), 6U);
  EXPECT_TRUE(std::holds_alternative<ManifestText>(told[4].now));
  EXPECT_THAT(Told({told[5]})[0], testing::StartsWith("f: is not read: all manifests together"));
  folder.Write("a", "small");
  MakeOld(folder / "a");
  MakeOld(folder / "f");
  const auto changes = directory.Look();
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<ManifestText>(changes[1].now)) << "there is space now";
}

}  // namespace
}  // namespace jettison
