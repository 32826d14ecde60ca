#include "machine/cgroups/enforced_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kMi = 1 << 20;

class EnforcedLimitsOfAGroup : public testing::Test {
 protected:
  FakeCgroups groups_;
  FakeClock clock_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); },
           false};
  EnforcedLimits limits_{log_};
};

TEST_F(EnforcedLimitsOfAGroup, WhatSomebodyElseChangedIsSetAgainAndSaidOnce) {
  limits_.Enforce(groups_, "kubepods", {.memory_bytes = 64 * kMi}, false);
  limits_.Check();
  EXPECT_THAT(lines_, IsEmpty());
  for (const auto& changed : {std::optional(128 * kMi), std::optional<std::uint64_t>()}) {
    lines_.clear();
    groups_.SetMemoryLimit("kubepods", changed);
    limits_.Check();
    limits_.Check();
    EXPECT_EQ(groups_.LimitsOf("kubepods").memory_bytes, 64 * kMi);
    EXPECT_THAT(lines_, ElementsAre(AllOf(HasSubstr("changed by somebody else"),
                                          HasSubstr("group=kubepods"))));
  }
}

TEST_F(EnforcedLimitsOfAGroup, WhatOthersSetIsStoodByAsItWasSetLast) {
  const auto set = [this](std::uint64_t shares) {
    const std::vector<GroupLimits> limits = {{"kubepods/burstable", {.cpu_shares = shares}}};
    EXPECT_TRUE(groups_.Create(limits[0].group, limits[0].limits));
    limits_.StandBy(groups_, limits);
    limits_.Check();
  };
  set(100);
  set(300);
  EXPECT_THAT(lines_, IsEmpty());
  groups_.SetCpuShares("kubepods/burstable", 100);
  limits_.Check();
  EXPECT_EQ(groups_.LimitsOf("kubepods/burstable").cpu_shares, 300U);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("group=kubepods/burstable")));
}

TEST_F(EnforcedLimitsOfAGroup, WhatOthersHaveMadeIsNotMadeAgainWhenItIsGone) {
  ASSERT_TRUE(groups_.Create("kubepods/burstable", {.cpu_shares = 100}));
  limits_.StandBy(groups_, {{"kubepods/burstable", {.cpu_shares = 100}}});
  ASSERT_TRUE(groups_.Remove("kubepods/burstable"));
  limits_.Check();
  EXPECT_FALSE(groups_.Exists("kubepods/burstable"));
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(EnforcedLimitsOfAGroup, WhatGoesOnFailingIsSaidWhenItBegins) {
  limits_.Enforce(groups_, "kubepods", {.memory_bytes = 64 * kMi}, false);
  groups_.SetMemoryLimit("kubepods", 128 * kMi);
  groups_.FailOn(FakeCgroups::Operation::kCreate, "kubepods",
                 {ErrorCode::kUnavailable, "more is in use"});
  for (int i = 0; i < 3; ++i) limits_.Check();
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("changed"), HasSubstr("more is in use")));
  groups_.ClearFailures();
  limits_.Check();
  EXPECT_EQ(groups_.LimitsOf("kubepods").memory_bytes, 64 * kMi);
}

// The loop that guards the node waits for it.
TEST_F(EnforcedLimitsOfAGroup, NothingIsReclaimedByTheGibibyteBesideTheGuardOfTheNode) {
  limits_.Enforce(groups_, "kubepods", {.memory_bytes = 64 * kMi, .cpu_shares = 512}, false);
  groups_.SetMemoryLimit("kubepods", std::nullopt);
  groups_.SetCpuShares("kubepods", 1024);
  groups_.SetMemory("kubepods", {.usage = 81 * kMi});
  for (int i = 0; i < 3; ++i) limits_.Check();
  EXPECT_EQ(groups_.LimitsOf("kubepods").memory_bytes, std::nullopt);
  EXPECT_EQ(groups_.LimitsOf("kubepods").cpu_shares, 512U);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("changed"), HasSubstr("it is set when they fit")));
  groups_.SetMemory("kubepods", {.usage = 80 * kMi});
  limits_.Check();
  EXPECT_EQ(groups_.LimitsOf("kubepods").memory_bytes, 64 * kMi);
}

TEST_F(EnforcedLimitsOfAGroup, AGroupOfTheSystemThatIsMissingIsNotMade) {
  limits_.Enforce(groups_, "system.slice", {.memory_bytes = kMi}, true);
  EXPECT_FALSE(groups_.Exists("system.slice"));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("system.slice")));
}

TEST(LimitsOfAReservation, AreMemoryTasksAndSharesOrTheSharesAlone) {
  ResourceList reserved;
  reserved["cpu"] = *Quantity::Parse("500m");
  reserved["memory"] = *Quantity::Parse("1Gi");
  reserved["pid"] = *Quantity::Parse("1000");
  const CgroupLimits all = LimitsOf({.group = "s"}, reserved);
  EXPECT_EQ(all.memory_bytes, 1024 * kMi);
  EXPECT_EQ(all.cpu_shares, 512U);
  EXPECT_EQ(all.pids_max, 1000);
  const CgroupLimits some = LimitsOf({.group = "s", .compressible_only = true}, reserved);
  EXPECT_EQ(some.memory_bytes, std::nullopt);
  EXPECT_EQ(some.cpu_shares, 512U);
  EXPECT_EQ(some.pids_max, std::nullopt);
}

}  // namespace
}  // namespace jettison
