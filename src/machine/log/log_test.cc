#include "machine/log/log.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "machine/log/event_log.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// A reader of the log, which may also not read.
class Reader {
 public:
  bool Read(const std::string& line) {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !stands_still_; });
    if (gone_) return false;
    read_.push_back(line);
    return true;
  }
  void StandStill(bool still) {
    const std::lock_guard lock(mutex_);
    stands_still_ = still;
    changed_.notify_all();
  }
  void Go(bool gone) {
    const std::lock_guard lock(mutex_);
    gone_ = gone;
  }
  // Waits until so many lines were tried.
  void Await(int tried) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, seconds(30), [&] { return waiting_ >= tried; }));
  }
  std::vector<std::string> read() {
    const std::lock_guard lock(mutex_);
    return read_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool stands_still_ = false;
  bool gone_ = false;
  std::vector<std::string> read_;
};

class LogWriterTest : public testing::Test {
 protected:
  std::unique_ptr<LogWriter> Writer(std::size_t most_bytes = LogWriter::kMostBytes) {
    return std::make_unique<LogWriter>(
        [reader = reader_](const std::string& line) { return reader->Read(line); },
        [](std::uint64_t lost) { return fmt::format("lost {}", lost); }, most_bytes);
  }
  std::shared_ptr<Reader> reader_ = std::make_shared<Reader>();
};

TEST_F(LogWriterTest, AReaderThatStandsStillHoldsNobodyUpAndIsToldHowMuchItMissed) {
  const auto writer = Writer(4096);
  reader_->StandStill(true);
  writer->Put("first");
  reader_->Await(1);
  const std::string line(1000, 'x');
  for (int i = 0; i < 1000; ++i) writer->Put(line);
  EXPECT_GE(writer->lost(), 990U);
  const std::uint64_t lost = writer->lost();
  reader_->StandStill(false);
  ASSERT_TRUE(writer->Flush(seconds(30)));
  writer->Put("last");
  ASSERT_TRUE(writer->Flush(seconds(30)));
  const auto read = reader_->read();
  ASSERT_GE(read.size(), 3U);
  EXPECT_EQ(read.front(), "first");
  EXPECT_EQ(read.at(read.size() - 2), fmt::format("lost {}", lost))
      << "the note is where the lines are missing";
  EXPECT_EQ(read.back(), "last");
  EXPECT_EQ(writer->lost(), lost);
}

TEST_F(LogWriterTest, AReaderThatWentAwayIsToldWhenItIsBack) {
  const auto writer = Writer();
  reader_->Go(true);
  for (int i = 0; i < 3; ++i) {
    writer->Put("unread");
    ASSERT_TRUE(writer->Flush(seconds(30)));
  }
  EXPECT_EQ(writer->lost(), 3U);
  reader_->Go(false);
  writer->Put("back");
  ASSERT_TRUE(writer->Flush(seconds(30)));
  EXPECT_EQ(reader_->read(), (std::vector<std::string>{"lost 3", "back"}));
}

TEST_F(LogWriterTest, GoesWhileItsReaderStandsStill) {
  auto writer = Writer();
  reader_->StandStill(true);
  writer->Put("stuck");
  reader_->Await(1);
  const auto begin = std::chrono::steady_clock::now();
  writer.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(20)) << "it waits for a second";
  reader_->StandStill(false);
}

TEST(Log, TextLinesAreLogfmtAndQuoteOnlyWhatNeedsIt) {
  const LogField fields[] = {{"pod", "default/web"}, {"why", "a \"b\"\n"}, {"none", ""}};
  EXPECT_EQ(FormatLine(LogFormat::kText, WallTime(milliseconds(1500)), LogLevel::kInfo,
                       "pod evicted", fields),
            R"(time=1970-01-01T00:00:01.5Z level=info msg="pod evicted" pod=default/web )"
            R"(why="a \"b\"\n" none="")");
}

TEST(Log, JsonLinesAreOneObjectOfStrings) {
  const LogField fields[] = {{"k", "v\\"}};
  EXPECT_EQ(
      FormatLine(LogFormat::kJson, WallTime(nanoseconds(1)), LogLevel::kError, "a\x01", fields),
      R"({"time":"1970-01-01T00:00:00Z","level":"error","msg":"a\u0001","k":"v\\"})");
}

TEST(Log, JsonLinesAreTextWhateverTheyAreAbout) {
  const LogField fields[] = {{"file", "/m/bad\xff.yaml"}, {"name", "\xc3\xa4"}};
  EXPECT_THAT(FormatLine(LogFormat::kJson, WallTime(nanoseconds(1)), LogLevel::kError, "", fields),
              testing::HasSubstr("\"file\":\"/m/bad\xEF\xBF\xBD.yaml\",\"name\":\"\xc3\xa4\""));
}

TEST(Log, ANulInALineOfTheJournalBeginsNoOtherEntry) {
  using std::literals::string_view_literals::operator""sv;
  const LogField fields[] = {{"file", "f\0PRIORITY=0"sv}};
  EXPECT_EQ(FormatLine(LogFormat::kJournal, WallTime(), LogLevel::kInfo, "a\0PRIORITY=1"sv, fields),
            "MESSAGE=a PRIORITY=1 file=\"f\\u0000PRIORITY=0\"\0PRIORITY=6\0"
            "SYSLOG_IDENTIFIER=jettison\0JETTISON_FILE=f PRIORITY=0\0"sv);
}

class LogLevels : public testing::Test {
 protected:
  FakeClock clock_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(LogLevels, LinesBelowTheLeastAreNotWritten) {
  log_.Debug("a pass");
  EXPECT_THAT(lines_, testing::IsEmpty()) << "unless asked for";
  log_.SetLeast(LogLevel::kDebug);
  log_.Debug("a pass");
  EXPECT_THAT(lines_, testing::SizeIs(1));
  log_.SetLeast(LogLevel::kError);
  log_.Warn("a warning");
  EXPECT_THAT(lines_, testing::SizeIs(1));
}

TEST_F(LogLevels, EventsThatDifferOnlyInTheirTimeAreRememberedOnceWithTheirNumber) {
  EventLog events(log_, 2);
  const auto add = [&](int second, const std::string& pod) {
    events.Add(Instant(std::chrono::seconds(second)), pod, {.reason = "BackOff", .message = "m"});
  };
  add(1, "a");
  add(2, "b");
  add(3, "a");
  ASSERT_EQ(events.events().size(), 2U);
  EXPECT_EQ(events.events()[0].pod, "b");
  EXPECT_EQ(events.events()[1].times, 2);
  EXPECT_EQ(events.events()[1].sequence, 3U);
  EXPECT_EQ(events.events()[1].first_at, Instant(std::chrono::seconds(1)));
  EXPECT_THAT(lines_, testing::SizeIs(3));
}

}  // namespace
}  // namespace jettison
