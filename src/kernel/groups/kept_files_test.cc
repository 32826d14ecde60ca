#include "kernel/groups/kept_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernel/files/temporary_folder.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/testing/few_descriptors.h"

namespace jettison::kernel {
namespace {

Result<std::string> TextOf(std::span<const FileDescriptor> files) {
  std::array<char, 64> buffer{};
  const auto text = ReadKept(files.front().get(), buffer);
  if (!text) return Fail(text.error());
  return std::string(*text);
}

// A file that fails like the file of a removed group.
Result<std::string> Gone(std::span<const FileDescriptor> /*files*/) {
  return Fail(ErrorCode::kNotFound, "No such device");
}

class KeptFilesOfFolders : public testing::Test {
 protected:
  KeptFilesOfFolders() : root_(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    for (const char* group : {"a", "ab", "a/b"}) Write(group, "1");
  }
  void Write(const std::string& group, const std::string& text) const {
    std::filesystem::create_directories(folder_.path() + "/" + group);
    std::ofstream(folder_.path() + "/" + group + "/figure") << text;
  }

  const TemporaryFolder folder_;
  const FileDescriptor root_;
};

TEST_F(KeptFilesOfFolders, AFileIsReadAnewThoughItStaysOpen) {
  KeptFiles kept(root_.get(), {"figure"}, 8);
  EXPECT_EQ(*kept.Read("a", TextOf), "1");
  EXPECT_EQ(kept.kept(), 1U);
  Write("a", "2");
  EXPECT_EQ(*kept.Read("a", TextOf), "2");
}

TEST_F(KeptFilesOfFolders, AGroupThatCannotBeKeptForWantOfDescriptorsIsKeptLater) {
  KeptFiles kept(root_.get(), {"figure"}, 8);
  {
    FewDescriptors few(4);
    few.TakeAll();
    EXPECT_EQ(kept.Read("a", TextOf).error().code, ErrorCode::kInternal);
  }
  EXPECT_TRUE(kept.Read("a", TextOf));
  EXPECT_EQ(kept.kept(), 1U);
}

TEST_F(KeptFilesOfFolders, NoMoreAreKeptThanWasSaid) {
  KeptFiles kept(root_.get(), {"figure"}, 1);
  for (const char* group : {"a", "ab", "a/b", "a"}) EXPECT_TRUE(kept.Read(group, TextOf));
  EXPECT_EQ(kept.kept(), 1U);
}

TEST_F(KeptFilesOfFolders, ForgettingAGroupForgetsThoseBelowAndNotItsNamesakes) {
  KeptFiles kept(root_.get(), {"figure"}, 8);
  for (const char* group : {"a", "ab", "a/b"}) EXPECT_TRUE(kept.Read(group, TextOf));
  kept.Forget("a");
  EXPECT_EQ(kept.kept(), 1U);
}

TEST_F(KeptFilesOfFolders, WhatBelongsToAGroupThatIsGoneIsOpenedAnewOnce) {
  KeptFiles kept(root_.get(), {"figure"}, 8);
  ASSERT_TRUE(kept.Read("a", TextOf));
  EXPECT_EQ(kept.Read("a", Gone).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(kept.kept(), 0U);
  EXPECT_TRUE(kept.Read("a", TextOf));
}

TEST_F(KeptFilesOfFolders, AMissingGroupIsNotFoundAndAMissingFileUnavailable) {
  KeptFiles kept(root_.get(), {"figure", "other"}, 8);
  EXPECT_EQ(kept.Read("none", TextOf).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(kept.Read("a", TextOf).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(kept.Read("../a", TextOf).error().code, ErrorCode::kInvalidArgument);
}

Result<bool> HasSecond(std::span<const FileDescriptor> files) {
  return static_cast<bool>(files[1]);
}

TEST_F(KeptFilesOfFolders, AFileThatNeedNotBeThereMayBeMissing) {
  KeptFiles kept(root_.get(), {"figure", "other"}, 8, 1);
  EXPECT_FALSE(*kept.Read("a", HasSecond));
  std::ofstream(folder_.path() + "/ab/other") << "1";
  EXPECT_TRUE(*kept.Read("ab", HasSecond));
  EXPECT_EQ(kept.kept(), 2U);
}

}  // namespace
}  // namespace jettison::kernel
