#include "agent/image_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "pod_host/files.h"
#include "pod_host/temporary_folder.h"
#include "ports/fakes/fake_clock.h"

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

std::vector<ImageRecord> Again(std::span<const ImageRecord> records, Instant now) {
  const auto reading = ParseImageRecords(FormatImageRecords(records), now);
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
  const auto records = Again(std::vector{used, old}, kNow + hours(100));
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0].id, "a");
  EXPECT_EQ(records[0].first_detected, used.first_detected);
  EXPECT_EQ(records[0].last_used, used.last_used);
  EXPECT_EQ(records[1].first_detected, Instant::min()) << "there before anyone looked";
  EXPECT_EQ(records[1].last_used, std::nullopt);
}

TEST(ImageRecords, WhatWasInUseCountsAsUsedUntilNow) {
  ImageRecord record = Record("a");
  record.in_use = true;
  record.last_used = kNow - hours(1);
  EXPECT_EQ(Again(std::vector{record}, kNow)[0].last_used, kNow);
}

TEST(ImageRecords, LookingAgainAtAnImageInUseChangesNoText) {
  ImageRecord record = Record("a");
  record.in_use = true;
  record.last_used = kNow - hours(1);
  const std::string before = FormatImageRecords(std::vector{record});
  record.last_used = kNow;
  EXPECT_EQ(FormatImageRecords(std::vector{record}), before);
}

TEST(ImageRecords, TimesToComeCountAsNow) {
  ImageRecord record = Record("a");
  record.first_detected = kNow + hours(5);
  record.last_used = kNow + hours(6);
  const auto records = Again(std::vector{record}, kNow);
  EXPECT_EQ(records[0].first_detected, kNow);
  EXPECT_EQ(records[0].last_used, kNow);
}

TEST(ImageRecords, NamesOfAnyBytesAreWrittenAsValidText) {
  const auto reading = ParseImageRecords(
      FormatImageRecords(std::vector{Record("quote\" newline\n \xff bad")}), kNow);
  ASSERT_TRUE(reading);
  EXPECT_THAT(reading->records[0].id, HasSubstr("quote\" newline\n"));
}

TEST(ImageRecords, AFaultyRecordIsLeftOutAndTheOthersStay) {
  const auto reading = ParseImageRecords(
      R"({"images":[{"id":"good"},{"id":""},{"firstDetected":"2026-01-01T00:00:00Z"},7,
         {"id":"time","firstDetected":"yesterday"},{"id":"kind","lastUsed":5},{"id":"good"}]})",
      kNow);
  ASSERT_TRUE(reading);
  ASSERT_THAT(reading->records, SizeIs(1));
  EXPECT_EQ(reading->records[0].id, "good");
  EXPECT_THAT(reading->faults, SizeIs(6));
}

TEST(ImageRecords, WhatIsNoSuchTextIsAnError) {
  for (const char* text : {"", "{", "[]", "{}", R"({"images":{}})", R"({"images":[)", "null"}) {
    EXPECT_FALSE(ParseImageRecords(text, kNow)) << text;
  }
}

class ImageRecordFileTest : public testing::Test {
 protected:
  pod_host::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/images.json";
  FakeClock clock_{kNow};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  ImageRecordFile file_{path_, log_};
};

TEST_F(ImageRecordFileTest, WithoutAFileThereAreNoneAndThatIsNoFault) {
  EXPECT_THAT(file_.Read(kNow), IsEmpty());
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(ImageRecordFileTest, WhatOneWroteAnotherReads) {
  file_.Write(std::vector{Record("a"), Record("b")});
  ImageRecordFile next(path_, log_);
  EXPECT_THAT(next.Read(kNow), SizeIs(2));
  EXPECT_THAT(pod_host::NamesIn(folder_.path()).value(), ElementsAre("images.json"));
}

TEST_F(ImageRecordFileTest, WhatSaysTheSameIsNotWrittenAgain) {
  file_.Write(std::vector{Record("a")});
  ASSERT_TRUE(std::filesystem::remove(path_));
  file_.Write(std::vector{Record("a")});
  EXPECT_FALSE(pod_host::Exists(path_));
  file_.Write(std::vector{Record("b")});
  EXPECT_TRUE(pod_host::Exists(path_));

  ImageRecordFile next(path_, log_);
  const auto records = next.Read(kNow);
  ASSERT_TRUE(std::filesystem::remove(path_));
  next.Write(records);
  EXPECT_FALSE(pod_host::Exists(path_)) << "not after a restart either";
}

TEST_F(ImageRecordFileTest, ADamagedFileIsSaidAndReplaced) {
  std::ofstream(path_) << "{\"images\":[{\"id\":\"a\"";
  EXPECT_THAT(file_.Read(kNow), IsEmpty());
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("damaged")));
  file_.Write(std::vector{Record("b")});
  EXPECT_THAT(file_.Read(kNow), SizeIs(1));
}

TEST_F(ImageRecordFileTest, AWriteThatFailsIsSaidOnceAndTriedAgain) {
  ImageRecordFile nowhere(folder_.path() + "/missing/images.json", log_);
  nowhere.Write(std::vector{Record("a")});
  nowhere.Write(std::vector{Record("a")});
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("cannot be written")));
  ASSERT_EQ(::mkdir((folder_.path() + "/missing").c_str(), 0700), 0);
  nowhere.Write(std::vector{Record("a")});
  EXPECT_THAT(nowhere.Read(kNow), SizeIs(1));
}

}  // namespace
}  // namespace jettison
