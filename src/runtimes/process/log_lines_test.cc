#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "runtimes/process/shim/log_file.h"

namespace jettison::shim {
namespace {

using kernel::Exists;
using kernel::ReadFile;
using kernel::TemporaryFolder;
using Cut = std::vector<std::pair<std::string, bool>>;

// Feeds the text in pieces and collects the lines.
Cut CutUp(const std::string& text, std::size_t piece) {
  const auto cutter = std::make_unique<LineCutter>();
  Cut lines;
  Line line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = std::min({piece, text.size() - at, cutter->room()});
    std::memcpy(cutter->space(), text.data() + at, size);
    cutter->Commit(size);
    at += size;
    while (cutter->Next(line)) lines.emplace_back(std::string(line.text, line.size), line.full);
  }
  if (cutter->Last(line)) lines.emplace_back(std::string(line.text, line.size), line.full);
  return lines;
}

TEST(LineCutter, CutsAlikeHoweverTheOutputArrives) {
  const std::string text = "one\n\ntwo\n" + std::string(100, 'x') + "\nno end";
  const Cut expected = {
      {"one", true}, {"", true}, {"two", true}, {std::string(100, 'x'), true}, {"no end", false}};
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 1000U}) {
    EXPECT_EQ(CutUp(text, piece), expected) << piece;
  }
}

TEST(LineCutter, ALineThatIsTooLongBecomesPartialOnes) {
  const std::string text(2 * kMaxLineBytes + 5, 'x');
  const Cut lines = CutUp(text + "\nb\n", 4096);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], std::make_pair(std::string(kMaxLineBytes, 'x'), false));
  EXPECT_EQ(lines[1], std::make_pair(std::string(kMaxLineBytes, 'x'), false));
  EXPECT_EQ(lines[2], std::make_pair(std::string(5, 'x'), true));
  EXPECT_EQ(lines[3], std::make_pair(std::string("b"), true));
}

TEST(LineCutter, BytesAreKeptAsTheyAre) {
  const std::string text("a\0b\r\xff\n", 6);
  EXPECT_EQ(CutUp(text, 10), (Cut{{std::string("a\0b\r\xff", 5), true}}));
}

TEST(FormatTimestamp, IsRfc3339WithNineDigits) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::pair<std::int64_t, const char*> cases[] = {
      {0, "1970-01-01T00:00:00.000000000Z"},
      {1, "1970-01-01T00:00:00.000000001Z"},
      {-1, "1969-12-31T23:59:59.999999999Z"},
      {951'782'400 * kSecond, "2000-02-29T00:00:00.000000000Z"},
      {1'767'225'599 * kSecond + 123'456'789, "2025-12-31T23:59:59.123456789Z"},
      {1'767'225'600 * kSecond, "2026-01-01T00:00:00.000000000Z"},
      {1'835'438'400 * kSecond, "2028-02-29T12:00:00.000000000Z"},
      {4'107'542'399 * kSecond, "2100-02-28T23:59:59.000000000Z"},
      {4'107'542'400 * kSecond, "2100-03-01T00:00:00.000000000Z"},
  };
  for (const auto& [ns, expected] : cases) {
    char text[kTimestampSize];
    FormatTimestamp(ns, text);
    EXPECT_EQ(std::string(text, sizeof(text)), expected);
  }
}

// Adds lines of 9 bytes of text, which are 50 in the log.
void AddLines(LogFile& log, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string text = "row " + std::to_string(10'000 + i);
    log.Add(i, "stdout", {.text = text.data(), .size = text.size(), .full = true});
  }
  log.Flush();
}

class LogFileTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/0.log";
  const std::unique_ptr<LogFile> log_ = std::make_unique<LogFile>();
};

TEST_F(LogFileTest, WritesTheCriLogFormat) {
  ASSERT_TRUE(log_->Open(path_.c_str(), 1 << 20, 5));
  log_->Add(0, "stdout", {.text = "out", .size = 3, .full = true});
  log_->Add(1, "stderr", {.text = "half", .size = 4, .full = false});
  log_->Flush();
  EXPECT_EQ(*ReadFile(path_),
            "1970-01-01T00:00:00.000000000Z stdout F out\n"
            "1970-01-01T00:00:00.000000001Z stderr P half\n");
}

TEST_F(LogFileTest, RotatesBeforeAFileGrowsTooLargeAndKeepsTheNewest) {
  ASSERT_TRUE(log_->Open(path_.c_str(), 100, 3));
  AddLines(*log_, 9);
  EXPECT_EQ(ReadFile(path_)->size(), 50U);
  EXPECT_EQ(ReadFile(path_ + ".1")->size(), 100U);
  EXPECT_EQ(ReadFile(path_ + ".2")->size(), 100U);
  EXPECT_FALSE(Exists(path_ + ".3"));
  EXPECT_THAT(*ReadFile(path_), testing::HasSubstr("row 10008"));
  EXPECT_THAT(*ReadFile(path_ + ".1"), testing::HasSubstr("row 10006"));
}

TEST_F(LogFileTest, OneFileIsStartedAnewWhenNoOtherIsKept) {
  ASSERT_TRUE(log_->Open(path_.c_str(), 100, 1));
  AddLines(*log_, 5);
  EXPECT_EQ(ReadFile(path_)->size(), 50U);
  EXPECT_FALSE(Exists(path_ + ".1"));
}

TEST_F(LogFileTest, ALineLargerThanAFileStandsAlone) {
  ASSERT_TRUE(log_->Open(path_.c_str(), 45, 3));
  AddLines(*log_, 2);
  EXPECT_EQ(ReadFile(path_)->size(), 50U);
  EXPECT_EQ(ReadFile(path_ + ".1")->size(), 50U);
  EXPECT_EQ(log_->lost_bytes(), 0);
}

TEST_F(LogFileTest, AFullDiskLosesOutputAndCountsIt) {
  ASSERT_TRUE(log_->Open("/dev/full", 1 << 20, 1));
  AddLines(*log_, 3);
  EXPECT_EQ(log_->lost_bytes(), 150);
}

TEST_F(LogFileTest, GoesOnBehindWhatIsThere) {
  ASSERT_TRUE(log_->Open(path_.c_str(), 120, 2));
  AddLines(*log_, 1);
  const auto again = std::make_unique<LogFile>();
  ASSERT_TRUE(again->Open(path_.c_str(), 120, 2));
  AddLines(*again, 2);
  EXPECT_EQ(ReadFile(path_)->size(), 50U);
  EXPECT_EQ(ReadFile(path_ + ".1")->size(), 100U);
}

}  // namespace
}  // namespace jettison::shim
