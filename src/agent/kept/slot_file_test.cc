#include "agent/kept/slot_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

class SlotFileTest : public testing::Test {
 protected:
  // The text as the next agent reads it.
  [[nodiscard]] Result<std::optional<std::string>> Read() const { return SlotFile(path_).Read(); }
  void Write(SlotFile& file, const std::string& text) {
    const auto written = file.Write(text);
    ASSERT_TRUE(written) << written.error().message;
  }
  // Overwrites bytes of the file.
  void Smear(std::size_t at, const std::string& bytes) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file << bytes;
  }

  kernel::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/state";
};

TEST_F(SlotFileTest, WhatWasWrittenLastIsRead) {
  EXPECT_EQ(Read().value(), std::nullopt);
  SlotFile file(path_);
  ASSERT_TRUE(file.Reserve());
  EXPECT_EQ(Read().value(), std::nullopt) << "blank lines only";
  EXPECT_EQ(fs::file_size(path_), 2 * SlotFile::kSlotBytes);
  for (const char* text : {"one", "a longer second", "3", ""}) {
    Write(file, text);
    EXPECT_EQ(Read().value(), text);
  }
  EXPECT_EQ(fs::file_size(path_), 2 * SlotFile::kSlotBytes) << "the file does not grow";
}

TEST_F(SlotFileTest, AnotherAgentGoesOnInTheOtherSlot) {
  for (const char* text : {"one", "two", "three"}) {
    SlotFile file(path_);
    ASSERT_TRUE(file.Read());
    ASSERT_TRUE(file.Reserve());
    Write(file, text);
    EXPECT_EQ(Read().value(), text);
  }
}

// A link is not followed; a descriptor that cannot be had fails in the same way.
TEST_F(SlotFileTest, WhatCouldNotBeReadIsStillOlderThanWhatIsWrittenThen) {
  SlotFile before(path_);
  for (const char* text : {"one", "two", "three", "four"}) Write(before, text);
  fs::rename(path_, path_ + ".away");
  fs::create_symlink(path_ + ".away", path_);
  SlotFile file(path_);
  EXPECT_FALSE(file.Read());
  EXPECT_FALSE(file.Write("five")) << "it would not be known which text is the last one";
  fs::rename(path_ + ".away", path_);
  Write(file, "five");
  EXPECT_EQ(Read().value(), "five");
  SlotFile unread(path_);
  Write(unread, "six");
  EXPECT_EQ(Read().value(), "six");
}

TEST_F(SlotFileTest, WhereAWriteWasCutOffTheTextBeforeIsRead) {
  SlotFile file(path_);
  ASSERT_TRUE(file.Reserve());
  Write(file, "old");
  Write(file, std::string(10'000, 'n'));
  for (const std::size_t cut : {1U, 20U, 60U, 5'000U, 9'000U}) {
    Smear(SlotFile::kSlotBytes + cut, std::string(100, '\n'));
    EXPECT_EQ(Read().value(), "old") << cut;
  }
}

TEST_F(SlotFileTest, AFirstWriteThatWasCutOffIsNoText) {
  SlotFile file(path_);
  ASSERT_TRUE(file.Reserve());
  Smear(0, "jettison slot 1 1 3 ");
  EXPECT_EQ(Read().value(), std::nullopt);
}

TEST_F(SlotFileTest, AFileThatNobodyCanReadIsPutAside) {
  for (const std::string& bytes :
       {std::string("rubbish"), std::string(2 * SlotFile::kSlotBytes, '\0'),
        std::string("jettison slot 1 18446744073709551615 3 x\nabc\njettison"),
        std::string(3 * SlotFile::kSlotBytes, 'x')}) {
    std::ofstream(path_, std::ios::binary) << bytes;
    if (bytes.starts_with("jettison")) Smear(SlotFile::kSlotBytes, "x");
    SlotFile file(path_);
    const auto text = file.Read();
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(file.PutAside().value(), path_ + ".damaged");
    ASSERT_TRUE(file.Reserve());
    Write(file, "new");
    EXPECT_EQ(Read().value(), "new");
  }
}

TEST_F(SlotFileTest, WhatIsNoRegularFileIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(Read());
  fs::remove(path_);
  fs::create_symlink("/dev/zero", path_);
  EXPECT_FALSE(Read());
}

TEST_F(SlotFileTest, TextThatIsTooLongIsRefusedAndHarmsNothing) {
  SlotFile file(path_);
  Write(file, "old");
  EXPECT_FALSE(file.Write(std::string(SlotFile::kMostBytes + 1, 'x')));
  EXPECT_EQ(Read().value(), "old");
  Write(file, std::string(SlotFile::kMostBytes, 'x'));
  EXPECT_EQ(Read().value()->size(), SlotFile::kMostBytes);
}

}  // namespace
}  // namespace jettison
