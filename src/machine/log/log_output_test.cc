#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "machine/log/log.h"

namespace jettison {
namespace {

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

}  // namespace
}  // namespace jettison
