#include "agent/kept/kept_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

class KeptFileTest : public testing::Test {
 protected:
  kernel::TemporaryFolder folder_;
  const KeptFile file_{folder_.path() + "/state"};
};

TEST_F(KeptFileTest, WhatWasWrittenLastIsReadAndTheSpaceForTheNextTextIsThere) {
  EXPECT_EQ(file_.Read().value(), std::nullopt);
  for (const char* text : {"one", "a longer second", "3"}) {
    ASSERT_TRUE(file_.Write(text));
    EXPECT_EQ(file_.Read().value(), text);
    EXPECT_EQ(fs::file_size(file_.path()), KeptFile::kReservedBytes);
    EXPECT_EQ(fs::file_size(file_.path() + ".new"), KeptFile::kReservedBytes);
  }
}

TEST_F(KeptFileTest, AWriteThatWasCutOffLeavesTheTextBefore) {
  ASSERT_TRUE(file_.Write("old"));
  std::ofstream(file_.path() + ".new") << "ne";
  EXPECT_EQ(file_.Read().value(), "old");
  ASSERT_TRUE(file_.Write("new"));
  EXPECT_EQ(file_.Read().value(), "new");
}

TEST_F(KeptFileTest, WhatCannotBeReadIsPutAside) {
  fs::create_symlink("/dev/zero", file_.path());
  EXPECT_FALSE(file_.Read()) << "a link is not followed";
  EXPECT_EQ(file_.PutAside(), file_.path() + ".damaged");
  ASSERT_TRUE(file_.Write("new"));
  EXPECT_EQ(file_.Read().value(), "new");
}

TEST_F(KeptFileTest, WhatIsNoRegularFileIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(file_.path().c_str(), 0600), 0);
  EXPECT_EQ(file_.Read().value_or("text"), std::nullopt);
}

TEST_F(KeptFileTest, TextThatIsTooLongIsRefusedAndHarmsNothing) {
  ASSERT_TRUE(file_.Write("old"));
  EXPECT_FALSE(file_.Write(std::string(KeptFile::kMostBytes + 1, 'x')));
  EXPECT_EQ(file_.Read().value(), "old");
  ASSERT_TRUE(file_.Write(std::string(KeptFile::kMostBytes, 'x')));
  EXPECT_EQ(file_.Read().value()->size(), KeptFile::kMostBytes);
}

TEST_F(KeptFileTest, OfAnEarlierAgentTheNewerOfBothSlotsIsRead) {
  constexpr std::size_t kSlot = std::size_t{256} << 10;
  std::string bytes(2 * kSlot, '\n');
  bytes.replace(0, 30, "jettison slot 1 3 5 hash\nthird");
  bytes.replace(kSlot, 31, "jettison slot 1 2 6 hash\nsecond");
  std::ofstream(file_.path()) << bytes;
  EXPECT_EQ(file_.Read().value(), "third");
  bytes.replace(kSlot + 16, 1, "4");
  std::ofstream(file_.path()) << bytes;
  EXPECT_EQ(file_.Read().value(), "second");
  std::ofstream(file_.path()) << "jettison slot 1 99999999999999999999 3 x\nabc";
  EXPECT_EQ(file_.Read().value(), std::nullopt);
}

}  // namespace
}  // namespace jettison
