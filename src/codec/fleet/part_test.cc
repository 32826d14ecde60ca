#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "codec/fleet/part_reader.h"
#include "codec/fleet/part_writer.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

FleetNode SomeNode(const std::string& name) {
  const Instant at(std::chrono::nanoseconds(1'767'225'600'123'456'789));
  FleetNode node{.node = name, .from = at, .to = at + std::chrono::hours(24)};
  node.inputs = {
      {.name = "a,\"b\"\n.jtr", .bytes = 7, .hash = "00ff", .faults = {"byte 3: damaged"}}};
  node.notes = {"swap is not known", "two\nlines"};
  node.passes = 8640;
  node.calibration = {.evictions = 3, .foretold = 2, .found = 2, .inside = 1};
  node.calibration.AddError(std::chrono::seconds(3));
  PolicySums sums{.evictions = 1, .oom_kills = 2};
  sums.condition_nanoseconds = {1, 2, 3, 4};
  sums.kept_free_byte_seconds = 9'223'372'036'854'775'807;
  sums.pod_nanoseconds_lost = 5;
  node.policies = {sums, sums};
  node.evictions = {{.at = at,
                     .policy = 1,
                     .pod = "default/we,b",
                     .uid = "u",
                     .earliest = at - std::chrono::nanoseconds(1),
                     .latest = at + std::chrono::nanoseconds(1),
                     .signal = Signal::kMemoryAvailable,
                     .soft = true,
                     .available = -3,
                     .line = 4,
                     .held = 5,
                     .as_recorded = true,
                     .from_record = true},
                    {.at = at, .pod = "p", .uid = "v", .limit = "emptyDir", .signal = {}}};
  node.oom_kills = {{.at = at, .policy = 1, .pod = "p", .uid = "u", .why = "node"}};
  node.Sort();
  return node;
}

std::string PartOfNodes(const std::vector<std::string>& names) {
  std::string text;
  PartWriter part([&text](std::string_view bytes) {
    text += bytes;
    return true;
  });
  EXPECT_TRUE(part.Begin({.version = "1",
                          .options = {{"evicted", "auto"}},
                          .policies = {{"in force", ""}, {"p", R"({"a":"b"})"}},
                          .fleet_recordings = 2,
                          .fleet_hash = "h"}));
  for (const std::string& name : names) EXPECT_TRUE(part.Add(PartLineOf(SomeNode(name))));
  EXPECT_TRUE(part.End());
  return text;
}

// The first fault, or whether it is complete.
std::string OutcomeOfReading(std::string_view text) {
  PartReader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto item = reader.Take(text.substr(0, end));
    if (!item) return item.error().message;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.is_open() ? "open" : "complete";
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Part, ANodeIsReadAsItWasWritten) {
  const std::string line = PartLineOf(SomeNode("n"));
  JsonReader json;
  const auto read = ReadPartLine(line, json);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(PartLineOf(*read), line);
  EXPECT_EQ(read->evictions, SomeNode("n").evictions);
  EXPECT_EQ(read->policies[1].kept_free_byte_seconds, 9'223'372'036'854'775'807);
  EXPECT_EQ(read->calibration.errors, SomeNode("n").calibration.errors);
}

TEST(Part, IsCompleteOnceItsEndIsThereAndMayBeFollowedByAnother) {
  const std::string part = PartOfNodes({"a", "b"});
  EXPECT_EQ(OutcomeOfReading(part), "complete");
  EXPECT_EQ(OutcomeOfReading(part + PartOfNodes({})), "complete");
  EXPECT_EQ(OutcomeOfReading(part.substr(0, part.rfind("{\"end\""))), "open");
}

TEST(Part, WhatIsCutOrChangedIsNotTaken) {
  const std::string part = PartOfNodes({"a", "b"});
  for (std::size_t size = 1; size + 1 < part.size(); size += 37) {
    EXPECT_NE(OutcomeOfReading(part.substr(0, size)), "complete") << size;
  }
  EXPECT_THAT(OutcomeOfReading(Replaced(part, "8640", "8641")), HasSubstr("its hash differs"));
  EXPECT_THAT(OutcomeOfReading(Replaced(part, R"("nodes":2)", R"("nodes":3)")),
              HasSubstr("the part has 2 nodes, and 3 were written"));
}

TEST(Part, WhatIsNoneSaysSo) {
  EXPECT_THAT(OutcomeOfReading("{}"), HasSubstr("no part of a fleet"));
  EXPECT_THAT(OutcomeOfReading("x"), Not(HasSubstr("line 1"))) << "who reads lines counts them";
  EXPECT_THAT(OutcomeOfReading(Replaced(PartOfNodes({}), "v1alpha1", "v9")),
              HasSubstr("jettison.io/v9"));
  EXPECT_THAT(OutcomeOfReading(PartOfNodes({"b", "a"})), HasSubstr("node a is not in its order"));
  EXPECT_THAT(OutcomeOfReading(Replaced(PartOfNodes({"a"}), R"("policy":1)", R"("policy":2)")),
              HasSubstr("other policies"));
  EXPECT_THAT(OutcomeOfReading(Replaced(PartOfNodes({"a"}), R"("count":1)", R"("count":0)")),
              HasSubstr("no such shard"));
}

}  // namespace
}  // namespace jettison
