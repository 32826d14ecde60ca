#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/command_bed.h"
#include "cli/simulate/fleet_bed.h"
#include "codec/flight/recording_bed.h"
#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class Show : public testing::Test {
 protected:
  // What `show` says of a recording, and of another text behind its items.
  CommandRun Run(const std::vector<RecordedItem>& items, const std::string& output,
                 const std::string& behind = "") const {
    const std::string path = folder_.path() + "/items.ndjson";
    EXPECT_TRUE(kernel::WriteFile(path, NdjsonOf(items) + behind));
    return RunCommand({"show", path, "--output", output});
  }
  nlohmann::json JsonOf(const std::vector<RecordedItem>& items) const {
    return nlohmann::json::parse(Run(items, "json").out);
  }
  std::string TextOf(const std::vector<RecordedItem>& items) const {
    return Run(items, "text").out;
  }

  const kernel::TemporaryFolder folder_;
};

RecordedItem PassAt(int seconds) {
  auto pass = std::make_shared<RecordedPass>();
  pass->policy = std::make_shared<const PassPolicy>();
  pass->report.at = kRecordedFrom + std::chrono::seconds(seconds);
  return std::shared_ptr<const RecordedPass>(std::move(pass));
}

TEST_F(Show, CountsWhatIsInIt) {
  const auto json = JsonOf(SomeRecording(3));
  EXPECT_EQ(json["passes"], 18);
  EXPECT_EQ(json["starts"], 3);
  EXPECT_EQ(json["nodes"], nlohmann::json::array({"node-1"}));
  EXPECT_EQ(json["gapCount"], 3);
  EXPECT_EQ(json["noteCount"], 3);
  EXPECT_GT(json["evictions"], 0);
  EXPECT_GT(json["oomKills"], 0);
  EXPECT_EQ(json["from"], FormatInstant(kRecordedFrom));
  EXPECT_THAT(TextOf(SomeRecording(3)), HasSubstr("note        made at random"));
}

TEST_F(Show, ASilenceAndAClockThatWasSetBackAreNamed) {
  const std::vector<RecordedItem> items = {
      RecordingAbout{.at = kRecordedFrom, .node = "a"},
      PassAt(0),
      PassAt(10),
      PassAt(1000),
      PassAt(500),
      RecordingAbout{.at = kRecordedFrom + std::chrono::seconds(400), .node = "b"}};
  const auto json = JsonOf(items);
  ASSERT_THAT(json["gaps"], SizeIs(1));
  EXPECT_EQ(json["gaps"][0]["from"], FormatInstant(kRecordedFrom + std::chrono::seconds(10)));
  EXPECT_EQ(json["gaps"][0]["to"], FormatInstant(kRecordedFrom + std::chrono::seconds(1000)));
  EXPECT_EQ(json["clockSteps"], 2);
  const CommandRun run = Run(items, "text", "{nonsense\n");
  EXPECT_EQ(run.status, 2);
  const std::string& text = run.out;
  EXPECT_THAT(text, HasSubstr("this is the recording of several nodes"));
  EXPECT_THAT(text, HasSubstr("no pass was made, or the clock was set forward"));
  EXPECT_THAT(text, HasSubstr("clock       set back from"));
  EXPECT_THAT(text, HasSubstr("fault       line 8: "));
}

TEST_F(Show, ProgramsHaveTheStartsAndTheEvictionsThatPeopleHave) {
  RecordedPass pass;
  pass.policy = std::make_shared<const PassPolicy>();
  pass.report.at = kRecordedFrom + std::chrono::seconds(60);
  pass.report.evictions = {
      {.order = {.pod_uid = "uid-web", .message = "The node was low on resource: memory. "}}};
  const auto json =
      JsonOf({RecordingAbout{.at = kRecordedFrom, .node = "edge-7", .maker = "jettison 0.1.0"},
              std::make_shared<const RecordedPass>(pass)});
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

}  // namespace
}  // namespace jettison
