#include "agent/reclaim/image_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_disk_thread.h"

namespace jettison {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Instant kNow = ParseInstant("2026-01-02T00:00:00Z").value();

ImageRecord Record(const std::string& id) {
  return {.id = id, .size_bytes = 7, .first_detected = kNow - hours(2)};
}

// The records as an agent that starts `later` finds them.
std::vector<ImageRecord> Again(std::span<const ImageRecord> records, Duration later = {},
                               Duration wall_step = {}, bool rebooted = false) {
  FakeClock clock(kNow);
  const std::string text = FormatImageRecords(records, clock);
  clock.Advance(later);
  clock.StepWall(wall_step);
  if (rebooted) clock.SetBoot("next");
  const auto reading = ParseImageRecords(text, clock);
  EXPECT_TRUE(reading) << reading.error().message;
  EXPECT_THAT(reading->faults, IsEmpty());
  return reading->records;
}

TEST(ImageRecords, TimesSurviveToTheNanosecond) {
  ImageRecord used = Record("a");
  used.first_detected = kNow - hours(2) + std::chrono::nanoseconds(1);
  used.last_used = kNow - hours(1);
  ImageRecord old = Record("b");
  old.first_detected = Instant::min();
  const auto records = Again(std::vector{used, old}, hours(100));
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0].id, "a");
  EXPECT_EQ(records[0].first_detected, used.first_detected);
  EXPECT_EQ(records[0].last_used, used.last_used);
  EXPECT_EQ(records[1].first_detected, Instant::min()) << "older than any listing";
  EXPECT_EQ(records[1].last_used, std::nullopt);
}

TEST(ImageRecords, WhatWasInUseCountsAsUsedUntilNow) {
  ImageRecord record = Record("a");
  record.in_use = true;
  record.last_used = kNow - hours(1);
  EXPECT_EQ(Again(std::vector{record})[0].last_used, kNow);
}

TEST(ImageRecords, AnImageIsAsOldAsItIsHoweverTheWallClockWasSetMeanwhile) {
  ImageRecord record = Record("a");
  record.last_used = kNow - hours(1);
  for (const auto step : {hours(1), hours(-1), hours(24 * 3650), hours(-24 * 3650)}) {
    const auto records = Again(std::vector{record}, hours(3), step);
    EXPECT_EQ(records[0].first_detected, kNow - hours(2)) << step.count();
    EXPECT_EQ(records[0].last_used, kNow - hours(1)) << step.count();
  }
}

TEST(ImageRecords, AClockWithoutBatteryMakesNoImageAncientNorYounger) {
  ImageRecord record = Record("a");
  record.last_used = kNow - hours(1);
  const auto back = Again(std::vector{record}, hours(3), hours(-24 * 3650), true);
  EXPECT_EQ(kNow + hours(3) - back[0].first_detected, hours(2)) << "as when it was written";
  const auto ahead = Again(std::vector{record}, hours(3), hours(24 * 3650), true);
  EXPECT_EQ(kNow + hours(3) - ahead[0].first_detected, hours(2) + kMostTimeOff);
  EXPECT_EQ(kNow + hours(3) - *ahead[0].last_used, hours(1) + kMostTimeOff);
}

TEST(ImageRecords, TimesToComeCountAsWhenTheyWereWritten) {
  const std::string images = R"("images":[{"id":"a","firstDetected":"2026-01-02T05:00:00Z",
                                           "lastUsed":"2026-01-02T06:00:00Z"}])";
  for (const std::string& text :
       {"{" + images + "}",
        R"({"written":{"at":"2026-01-02T00:00:00Z","bootID":"other","sinceBoot":"5h0m0s"},)" +
            images + "}"}) {
    const auto reading = ParseImageRecords(text, FakeClock(kNow));
    ASSERT_TRUE(reading);
    EXPECT_THAT(reading->faults, IsEmpty());
    EXPECT_EQ(reading->records[0].first_detected, kNow);
    EXPECT_EQ(reading->records[0].last_used, kNow);
  }
}

TEST(ImageRecords, ADamagedMarkIsAFaultAndTheTimesAreRealTime) {
  const auto reading = ParseImageRecords(
      R"({"written":{"at":"noon"},"images":[{"id":"a","firstDetected":"2026-01-01T23:00:00Z"}]})",
      FakeClock(kNow));
  ASSERT_TRUE(reading);
  EXPECT_THAT(reading->faults, ElementsAre(HasSubstr("written")));
  EXPECT_EQ(reading->records[0].first_detected, kNow - hours(1));
}

TEST(ImageRecords, NamesOfAnyBytesAreWrittenAsValidText) {
  const auto reading = ParseImageRecords(
      FormatImageRecords(std::vector{Record("quote\" newline\n \xff bad")}, FakeClock(kNow)),
      FakeClock(kNow));
  ASSERT_TRUE(reading);
  EXPECT_THAT(reading->records[0].id, HasSubstr("quote\" newline\n"));
}

TEST(ImageRecords, AFaultyRecordIsLeftOutAndTheOthersStay) {
  const auto reading = ParseImageRecords(
      R"({"images":[{"id":"good"},{"id":""},{"firstDetected":"2026-01-01T00:00:00Z"},7,
         {"id":"time","firstDetected":"yesterday"},{"id":"kind","lastUsed":5},{"id":"good"}]})",
      FakeClock(kNow));
  ASSERT_TRUE(reading);
  ASSERT_THAT(reading->records, SizeIs(1));
  EXPECT_EQ(reading->records[0].id, "good");
  EXPECT_THAT(reading->faults, SizeIs(6));
}

TEST(ImageRecords, WhatIsNoSuchTextIsAnError) {
  for (const char* text : {"", "{", "[]", "{}", R"({"images":{}})", R"({"images":[)", "null"}) {
    EXPECT_FALSE(ParseImageRecords(text, FakeClock(kNow))) << text;
  }
}

class ImageRecordFileTest : public testing::Test {
 protected:
  kernel::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/images.json";
  FakeClock clock_{kNow};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  ImageRecordFile file_{path_, clock_, log_};
};

TEST_F(ImageRecordFileTest, WithoutAFileThereAreNoneAndThatIsNoFault) {
  EXPECT_THAT(file_.Read(), IsEmpty());
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(ImageRecordFileTest, WhatOneWroteAnotherReads) {
  file_.Write(std::vector{Record("a"), Record("b")});
  ImageRecordFile next(path_, clock_, log_);
  EXPECT_THAT(next.Read(), SizeIs(2));
  EXPECT_THAT(kernel::NamesIn(folder_.path()).value(), ElementsAre("images.json"));
}

// A loop of links; a descriptor that cannot be had fails in the same way.
TEST_F(ImageRecordFileTest, WhatCannotBeReadIsPutAside) {
  std::filesystem::create_symlink(path_, path_);
  EXPECT_THAT(file_.Read(), IsEmpty());
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("file=" + path_ + ".damaged")));
  file_.Write(std::vector{Record("b")});
  EXPECT_THAT(file_.Read(), SizeIs(1));
}

TEST_F(ImageRecordFileTest, WhatSaysTheSameIsNotWrittenAgain) {
  file_.Write(std::vector{Record("a")});
  ASSERT_TRUE(std::filesystem::remove(path_));
  file_.Write(std::vector{Record("a")});
  EXPECT_FALSE(kernel::Exists(path_));
  file_.Write(std::vector{Record("b")});
  EXPECT_TRUE(kernel::Exists(path_));

  ImageRecordFile next(path_, clock_, log_);
  const auto records = next.Read();
  ASSERT_TRUE(std::filesystem::remove(path_));
  next.Write(records);
  EXPECT_FALSE(kernel::Exists(path_)) << "nor after a restart";
}

TEST_F(ImageRecordFileTest, LookingAgainAtAnImageInUseWritesNothingForAnHour) {
  ImageRecord record = Record("a");
  record.in_use = true;
  record.last_used = kNow - hours(1);
  file_.Write(std::vector{record});
  ASSERT_TRUE(std::filesystem::remove(path_));
  record.last_used = kNow;
  file_.Write(std::vector{record});
  EXPECT_FALSE(kernel::Exists(path_));
  clock_.Advance(hours(1));
  file_.Write(std::vector{record});
  EXPECT_TRUE(kernel::Exists(path_)) << "the uptime of the machine counts";
}

TEST_F(ImageRecordFileTest, ADamagedFileIsSaidAndReplaced) {
  std::ofstream(path_) << "{\"images\":[{\"id\":\"a\"";
  EXPECT_THAT(file_.Read(), IsEmpty());
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("cannot be read")));
  file_.Write(std::vector{Record("b")});
  EXPECT_THAT(file_.Read(), SizeIs(1));
}

TEST_F(ImageRecordFileTest, AWriteThatFailsIsSaidOnceAndTriedAgain) {
  ImageRecordFile nowhere(folder_.path() + "/missing/images.json", clock_, log_);
  nowhere.Write(std::vector{Record("a")});
  nowhere.Write(std::vector{Record("a")});
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("cannot be written")));
  ASSERT_EQ(::mkdir((folder_.path() + "/missing").c_str(), 0700), 0);
  nowhere.Write(std::vector{Record("a")});
  EXPECT_THAT(nowhere.Read(), SizeIs(1));
}

TEST_F(ImageRecordFileTest, ASlowDiskIsWaitedForByAThread) {
  const auto disk = std::make_shared<FakeDiskThread>();
  ImageRecordFile file(path_, clock_, log_, disk);
  file.Write(std::vector{Record("a")});
  file.Write(std::vector{Record("a"), Record("b")});
  EXPECT_FALSE(kernel::Exists(path_));
  EXPECT_EQ(disk->Answer(), 1);
  EXPECT_THAT(file_.Read(), SizeIs(1));
  file.Write(std::vector{Record("a"), Record("b")});
  EXPECT_EQ(disk->Answer(), 1);
  EXPECT_THAT(file_.Read(), SizeIs(2));
}

TEST_F(ImageRecordFileTest, AWriteThatFailedOnTheThreadIsSaidAndTriedAgain) {
  const auto disk = std::make_shared<FakeDiskThread>();
  ImageRecordFile nowhere(folder_.path() + "/missing/images.json", clock_, log_, disk);
  nowhere.Write(std::vector{Record("a")});
  EXPECT_EQ(disk->Answer(), 1);
  EXPECT_THAT(lines_, IsEmpty());
  nowhere.Write(std::vector{Record("a")});
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("cannot be written")));
  EXPECT_EQ(disk->Answer(), 1) << "it is tried again";
}

}  // namespace
}  // namespace jettison
