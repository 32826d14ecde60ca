#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/recording/recording.h"
#include "cli/recording/recording_file.h"
#include "codec/flight/recording_bed.h"
#include "codec/flight/recording_writer.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

RecordingDigest DigestOf(const std::vector<RecordedItem>& items) {
  RecordingDigest digest;
  for (const RecordedItem& item : items) digest.Add(item);
  return digest;
}

nlohmann::json JsonOf(const RecordingDigest& digest) {
  return nlohmann::json::parse(digest.Json(nullptr));
}

RecordedItem PassAt(int seconds) {
  auto pass = std::make_shared<RecordedPass>();
  pass->policy = std::make_shared<const PassPolicy>();
  pass->report.at = kRecordedFrom + std::chrono::seconds(seconds);
  return std::shared_ptr<const RecordedPass>(std::move(pass));
}

TEST(RecordingDigest, CountsWhatIsInIt) {
  const RecordingDigest digest = DigestOf(SomeRecording(3));
  const auto json = JsonOf(digest);
  EXPECT_EQ(json["passes"], 18);
  EXPECT_EQ(json["starts"], 3);
  EXPECT_EQ(json["nodes"], nlohmann::json::array({"node-1"}));
  EXPECT_EQ(json["gapCount"], 3);
  EXPECT_EQ(json["noteCount"], 3);
  EXPECT_GT(json["evictions"], 0);
  EXPECT_GT(json["oomKills"], 0);
  EXPECT_EQ(json["from"], FormatInstant(kRecordedFrom));
  EXPECT_THAT(digest.Text(nullptr), HasSubstr("note        made at random"));
}

TEST(RecordingDigest, ANameInItsTextStaysInItsLineAndSteersNoTerminal) {
  const RecordingDigest digest =
      DigestOf({RecordingAbout{.at = kRecordedFrom, .node = "a\x1b[2J\nb"}, PassAt(0)});
  EXPECT_THAT(digest.Text(nullptr), HasSubstr("node        a [2J b\n"));
}

TEST(RecordingDigest, ASilenceAndAClockThatWasSetBackAreNamed) {
  RecordingDigest digest = DigestOf(
      {RecordingAbout{.at = kRecordedFrom, .node = "a"}, PassAt(0), PassAt(10), PassAt(1000),
       PassAt(500), RecordingAbout{.at = kRecordedFrom + std::chrono::seconds(400), .node = "b"}});
  digest.AddFault("byte 7: it is damaged");
  const auto json = JsonOf(digest);
  ASSERT_THAT(json["gaps"], SizeIs(1));
  EXPECT_EQ(json["gaps"][0]["from"], FormatInstant(kRecordedFrom + std::chrono::seconds(10)));
  EXPECT_EQ(json["gaps"][0]["to"], FormatInstant(kRecordedFrom + std::chrono::seconds(1000)));
  EXPECT_EQ(json["clockSteps"], 2);
  const std::string text = digest.Text(nullptr);
  EXPECT_THAT(text, HasSubstr("this is the recording of several nodes"));
  EXPECT_THAT(text, HasSubstr("no pass was made, or the clock was set forward"));
  EXPECT_THAT(text, HasSubstr("clock       set back from"));
  EXPECT_THAT(text, HasSubstr("fault       byte 7: it is damaged"));
}

TEST(RecordingDigest, ProgramsHaveTheStartsAndTheEvictionsThatPeopleHave) {
  RecordedPass pass;
  pass.policy = std::make_shared<const PassPolicy>();
  pass.report.at = kRecordedFrom + std::chrono::seconds(60);
  pass.report.evictions = {
      {.order = {.pod_uid = "uid-web", .message = "The node was low on resource: memory. "}}};
  const RecordingDigest digest =
      DigestOf({RecordingAbout{.at = kRecordedFrom, .node = "edge-7", .maker = "jettison 0.1.0"},
                std::make_shared<const RecordedPass>(pass)});
  const auto json = JsonOf(digest);
  EXPECT_EQ(json["starts"], 1);
  EXPECT_EQ(json["agentStarts"], nlohmann::json::array({{{"at", FormatInstant(kRecordedFrom)},
                                                         {"maker", "jettison 0.1.0"},
                                                         {"node", "edge-7"}}}));
  EXPECT_EQ(json["evictions"], 1);
  EXPECT_EQ(json["evicted"],
            nlohmann::json::array({{{"uid", "uid-web"},
                                    {"at", FormatInstant(pass.report.at)},
                                    {"message", "The node was low on resource: memory. "}}}));
  EXPECT_EQ(json["faultCount"], 0);
}

TEST(RecordingFile, AnEmptyFileIsToldAndAFolderIsNotOpened) {
  const kernel::TemporaryFolder folder;
  std::ofstream(folder.path() + "/empty").flush();
  auto empty = RecordingFile::Open(folder.path() + "/empty");
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->IsEmpty());
  const auto in_place = RecordingFile::Open(folder.path());
  ASSERT_FALSE(in_place);
  EXPECT_THAT(in_place.error().message, HasSubstr("it is a folder"));
}

}  // namespace
}  // namespace jettison
