#include "ports/fakes/fake_cgroups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(FakeCgroups, CreatingAGroupCreatesItsParents) {
  FakeCgroups cgroups;
  ASSERT_TRUE(cgroups.Create("kubepods/burstable/pod1", {.memory_bytes = 100}));
  EXPECT_TRUE(cgroups.Exists("kubepods/burstable"));
  EXPECT_THAT(*cgroups.Children(""), ElementsAre("kubepods"));
  EXPECT_THAT(*cgroups.Children("kubepods"), ElementsAre("burstable"));
  EXPECT_EQ(cgroups.LimitsOf("kubepods/burstable/pod1").memory_bytes, 100U);
}

TEST(FakeCgroups, LaterLimitsReplaceOnlyWhatTheyName) {
  FakeCgroups cgroups;
  ASSERT_TRUE(cgroups.Create("a", {.memory_bytes = 100, .pids_max = 5}));
  ASSERT_TRUE(cgroups.Create("a", {.memory_bytes = 200}));
  EXPECT_EQ(cgroups.LimitsOf("a").memory_bytes, 200U);
  EXPECT_EQ(cgroups.LimitsOf("a").pids_max, 5);
}

TEST(FakeCgroups, FiguresAddUpOverTheGroupsBelow) {
  FakeCgroups cgroups;
  ASSERT_TRUE(cgroups.Create("a/b", {}));
  ASSERT_TRUE(cgroups.Create("ab", {}));
  cgroups.SetMemory("a", {.usage = 1, .inactive_file = 1});
  cgroups.SetMemory("a/b", {.usage = 10, .inactive_file = 4});
  cgroups.SetMemory("ab", {.usage = 100});
  EXPECT_EQ(cgroups.ReadMemory("a")->usage, 11U);
  EXPECT_EQ(cgroups.ReadMemory("a")->inactive_file, 5U);
  EXPECT_EQ(cgroups.ReadMemory("")->usage, 111U);
}

TEST(FakeCgroups, TheLowestLimitOnTheWayUpHolds) {
  FakeCgroups cgroups;
  ASSERT_TRUE(cgroups.Create("a", {.memory_bytes = 50}));
  ASSERT_TRUE(cgroups.Create("a/b", {.memory_bytes = 80}));
  EXPECT_EQ(*cgroups.ReadMemoryLimit("a/b"), 50U);
  EXPECT_EQ(*cgroups.ReadMemoryLimit(""), std::nullopt);
}

TEST(FakeCgroups, AKillIsRecordedAndEmptiesTheGroup) {
  FakeCgroups cgroups;
  ASSERT_TRUE(cgroups.Create("a/b", {}));
  ASSERT_TRUE(cgroups.Join("a/b", 7));
  EXPECT_EQ(cgroups.Remove("a").error().code, ErrorCode::kUnavailable);
  ASSERT_TRUE(cgroups.Kill("a"));
  EXPECT_THAT(cgroups.kills(), ElementsAre("a"));
  EXPECT_THAT(cgroups.signals(), ElementsAre(FakeCgroups::SentSignal{"a", 7, SIGKILL}));
  EXPECT_THAT(*cgroups.Processes("a"), IsEmpty());
  ASSERT_TRUE(cgroups.Remove("a"));
  EXPECT_FALSE(cgroups.Exists("a/b"));
}

TEST(FakeCgroups, WhoeverIsWrittenIntoTheFileOfAGroupIsInIt) {
  FakeCgroups cgroups;
  ASSERT_TRUE(cgroups.Create("a/b", {}));
  ASSERT_TRUE(cgroups.Join("a", 7));
  auto files = cgroups.OpenProcs("a/b");
  ASSERT_TRUE(files);
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ((*files)[0].name, "a/b");
  EXPECT_THAT(*cgroups.Processes("a/b"), IsEmpty());
  ASSERT_EQ(::write((*files)[0].file.get(), "7\n", 2), 2);
  EXPECT_THAT(*cgroups.Processes("a/b"), ElementsAre(7));
  files->clear();
  EXPECT_THAT(*cgroups.Processes("a/b"), ElementsAre(7));
  EXPECT_EQ(cgroups.OpenProcs("gone").error().code, ErrorCode::kNotFound);
}

TEST(FakeCgroups, AKillThatLingersEndsWhenTheProcessExits) {
  FakeCgroups cgroups;
  cgroups.KillsLinger(true);
  ASSERT_TRUE(cgroups.Create("a", {}));
  ASSERT_TRUE(cgroups.Join("a", 7));
  ASSERT_TRUE(cgroups.Kill("a"));
  EXPECT_THAT(*cgroups.Processes("a"), ElementsAre(7));
  cgroups.ProcessExited(7);
  EXPECT_EQ(*cgroups.ReadPids("a"), 0U);
}

TEST(FakeCgroups, AGroupThatVanishedIsNotFoundForReadingsAndFineForRemoval) {
  FakeCgroups cgroups;
  EXPECT_EQ(cgroups.ReadMemory("gone").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(cgroups.Kill("gone").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(cgroups.Remove("gone"));
}

TEST(FakeCgroups, AnOperationFailsAsLongAsTheTestSaysSo) {
  FakeCgroups cgroups;
  cgroups.FailOn(FakeCgroups::Operation::kCreate, "a", {ErrorCode::kPermissionDenied, "no"});
  EXPECT_EQ(cgroups.Create("a", {}).error().code, ErrorCode::kPermissionDenied);
  cgroups.ClearFailures();
  EXPECT_TRUE(cgroups.Create("a", {}));
}

TEST(FakeClock, MovesOnlyWhenStepped) {
  FakeClock clock;
  const Instant start = clock.Now();
  clock.Advance(std::chrono::seconds(10));
  EXPECT_EQ(clock.Now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace jettison
