#include "cli/fleet/spool.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"

namespace jettison {
namespace {

using ::testing::StartsWith;

class SpoolTest : public ::testing::Test {
 protected:
  ~SpoolTest() override {
    if (had_place_) {
      ::setenv("TMPDIR", place_.c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }
  [[nodiscard]] FileDescriptor Input(const std::string& text) const {
    const std::string path = folder_.path() + "/input";
    EXPECT_TRUE(kernel::WriteFile(path, text));
    return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }

  const kernel::TemporaryFolder folder_;
  const bool had_place_ = std::getenv("TMPDIR") != nullptr;
  const std::string place_ = had_place_ ? std::getenv("TMPDIR") : "";
  Spool spool_;
};

TEST_F(SpoolTest, KeepsOneAfterTheOther) {
  ASSERT_EQ(::setenv("TMPDIR", folder_.path().c_str(), 1), 0);
  EXPECT_EQ(spool_.Append(Input("one").get(), "a"), 0);
  EXPECT_EQ(*kernel::ReadToEnd(spool_.From(0).get(), 100), "one");
  const auto begin = spool_.Append(Input("two and more").get(), "b");
  ASSERT_TRUE(begin) << begin.error().message;
  EXPECT_EQ(*begin, 3);
  EXPECT_EQ(*kernel::ReadToEnd(spool_.From(*begin).get(), 100), "two and more");
  EXPECT_EQ(*kernel::NamesIn(folder_.path()), std::vector<std::string>{"input"});
}

TEST_F(SpoolTest, IsInTmpWhereTheVariableIsEmpty) {
  ASSERT_EQ(::setenv("TMPDIR", "", 1), 0);
  EXPECT_TRUE(spool_.Append(Input("one").get(), "a"));
}

TEST_F(SpoolTest, SaysWhichFolderCannotTakeIt) {
  ASSERT_EQ(::setenv("TMPDIR", "/nonexistent", 1), 0);
  const auto stored = spool_.Append(Input("one").get(), "standard input");
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().message,
            "cannot store standard input in /nonexistent: No such file or directory");
}

TEST_F(SpoolTest, SaysWhatCannotBeRead) {
  ASSERT_EQ(::setenv("TMPDIR", folder_.path().c_str(), 1), 0);
  const FileDescriptor folder(::open(folder_.path().c_str(), O_RDONLY | O_CLOEXEC));
  const auto stored = spool_.Append(folder.get(), "x.part");
  ASSERT_FALSE(stored);
  EXPECT_THAT(stored.error().message, StartsWith("cannot read x.part: "));
}

}  // namespace
}  // namespace jettison
