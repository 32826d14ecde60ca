#include "cli/recording/recording_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

TEST(RecordingFile, AnEmptyFileIsToldAndAFolderIsNotOpened) {
  const kernel::TemporaryFolder folder;
  std::ofstream(folder.path() + "/empty").flush();
  auto empty = RecordingFile::Open(folder.path() + "/empty");
  ASSERT_TRUE(empty);
  EXPECT_TRUE((*empty)->IsEmpty());
  const auto in_place = RecordingFile::Open(folder.path());
  ASSERT_FALSE(in_place);
  EXPECT_THAT(in_place.error().message, HasSubstr("it is a folder"));
}

}  // namespace
}  // namespace jettison
