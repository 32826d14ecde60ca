#include "core/decide/container_gc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace jettison {
namespace {

using std::chrono::minutes;

const Instant kCollectedAt = ParseInstant("2026-01-01T00:00:00Z").value();

// A run that was created `age` ago and ended at once.
ContainerRecord Dead(std::string pod, std::string name, int attempt, Duration age) {
  return {.pod_uid = std::move(pod),
          .name = std::move(name),
          .attempt = attempt,
          .created = kCollectedAt - age,
          .exit = ContainerExit{}};
}

ContainerRecord Running(std::string pod, std::string name, int attempt, Duration age) {
  ContainerRecord record = Dead(std::move(pod), std::move(name), attempt, age);
  record.exit.reset();
  return record;
}

// "pod/container#attempt" of each, in order.
using Names = std::vector<std::string>;
Names ToRemove(const std::vector<ContainerRecord>& containers, const PodsForGc& pods,
               ContainerGcPolicy policy = {}) {
  Names names;
  for (const ContainerRun& run : ContainersToRemove(policy, containers, pods, kCollectedAt)) {
    names.push_back(run.pod_uid + "/" + run.container + "#" + std::to_string(run.attempt));
  }
  return names;
}

PodsForGc Living(std::initializer_list<const char*> uids) {
  PodsForGc pods;
  for (const char* uid : uids) pods.standing.emplace(uid, PodStanding::kLives);
  return pods;
}

TEST(ContainerGc, OfEachContainerOfALivingPodTheNewestDeadRunIsKept) {
  const std::vector<ContainerRecord> containers = {
      Dead("p", "a", 0, minutes(9)), Dead("p", "a", 2, minutes(3)), Dead("p", "a", 1, minutes(6)),
      Dead("p", "b", 0, minutes(9)), Dead("q", "a", 0, minutes(9))};
  EXPECT_EQ(ToRemove(containers, Living({"p", "q"})), (Names{"p/a#0", "p/a#1"}));
}

TEST(ContainerGc, RunningContainersAreNeitherRemovedNorCounted) {
  const std::vector<ContainerRecord> containers = {Dead("p", "a", 0, minutes(9)),
                                                   Running("p", "a", 1, minutes(5)),
                                                   Running("gone", "a", 0, minutes(5))};
  EXPECT_EQ(ToRemove(containers, Living({"p"})), Names{});
}

TEST(ContainerGc, AllDeadContainersOfAPodThatIsGoneGoOldestFirst) {
  const std::vector<ContainerRecord> containers = {
      Dead("z", "b", 0, minutes(1)), Dead("z", "a", 1, minutes(2)), Dead("z", "a", 0, minutes(3))};
  EXPECT_EQ(ToRemove(containers, {}), (Names{"z/a#0", "z/a#1", "z/b#0"}));
}

TEST(ContainerGc, UntilAllSourcesAreReadyAnUnknownPodIsNotGone) {
  PodsForGc pods;
  pods.all_sources_ready = false;
  const std::vector<ContainerRecord> containers = {Dead("z", "a", 0, minutes(3)),
                                                   Dead("z", "a", 1, minutes(2))};
  EXPECT_EQ(ToRemove(containers, pods), Names{"z/a#0"});
}

TEST(ContainerGc, ATerminatedPodCountsAsGoneOnlyWhenAskedTo) {
  PodsForGc pods;
  pods.standing.emplace("done", PodStanding::kTerminated);
  const std::vector<ContainerRecord> containers = {Dead("done", "a", 0, minutes(3))};
  EXPECT_EQ(ToRemove(containers, pods), Names{});
  pods.terminated_count_as_gone = true;
  EXPECT_EQ(ToRemove(containers, pods), Names{"done/a#0"});
}

TEST(ContainerGc, WhatIsYoungerThanTheMinimumAgeStaysAndIsNotCounted) {
  const std::vector<ContainerRecord> containers = {Dead("p", "a", 0, minutes(5)),
                                                   Dead("p", "a", 1, minutes(5) - Duration(1)),
                                                   Dead("gone", "a", 0, minutes(1))};
  EXPECT_EQ(ToRemove(containers, Living({"p"}), {.min_age = minutes(5)}), Names{});
  EXPECT_EQ(
      ToRemove(containers, Living({"p"}), {.min_age = minutes(5), .max_per_pod_container = 0}),
      Names{"p/a#0"});
}

TEST(ContainerGc, ALimitBelowZeroIsNone) {
  const std::vector<ContainerRecord> containers = {Dead("p", "a", 0, minutes(3)),
                                                   Dead("p", "a", 1, minutes(2))};
  EXPECT_EQ(ToRemove(containers, Living({"p"}), {.max_per_pod_container = -1}), Names{});
}

TEST(ContainerGc, AboveTheTotalLimitEachContainerKeepsAnEqualShare) {
  std::vector<ContainerRecord> containers;
  for (int attempt = 0; attempt < 5; ++attempt) {
    containers.push_back(Dead("p", "a", attempt, minutes(50 - attempt)));
  }
  containers.push_back(Dead("q", "a", 0, minutes(99)));
  EXPECT_EQ(
      ToRemove(containers, Living({"p", "q"}), {.max_per_pod_container = -1, .max_containers = 4}),
      (Names{"p/a#0", "p/a#1", "p/a#2"}));
}

TEST(ContainerGc, WhereEqualSharesAreStillTooManyTheOldestOfAllGo) {
  const std::vector<ContainerRecord> containers = {
      Dead("p", "a", 0, minutes(5)), Dead("q", "a", 0, minutes(7)), Dead("r", "a", 0, minutes(3)),
      Dead("r", "a", 1, minutes(1))};
  EXPECT_EQ(ToRemove(containers, Living({"p", "q", "r"}),
                     {.max_per_pod_container = -1, .max_containers = 1}),
            (Names{"r/a#0", "q/a#0", "p/a#0"}));
}

TEST(ContainerGc, TheAnswerDoesNotDependOnTheOrderOfTheRecords) {
  std::vector<ContainerRecord> containers;
  for (const char* pod : {"p", "q", "gone"}) {
    for (int attempt = 0; attempt < 4; ++attempt) {
      containers.push_back(Dead(pod, "a", attempt, minutes(5)));
      containers.push_back(Dead(pod, "b", attempt, minutes(5 + attempt)));
    }
  }
  const ContainerGcPolicy policy{.max_per_pod_container = 2, .max_containers = 3};
  const Names expected = ToRemove(containers, Living({"p", "q"}), policy);
  EXPECT_EQ(expected.size(), containers.size() - 3);
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(containers.begin(), containers.end(), random);
    EXPECT_EQ(ToRemove(containers, Living({"p", "q"}), policy), expected);
  }
}

TEST(PodLogGc, FoldersOfGonePodsGoAndNothingElse) {
  PodsForGc pods = Living({"u1"});
  pods.standing.emplace("u2", PodStanding::kTerminated);
  pods.terminated_count_as_gone = true;
  const std::vector<std::string> folders = {"default_a_u1", "default_b_u2", "default_c_u3",
                                            "lost+found",   "x_y",          "a_b_c_d"};
  EXPECT_EQ(PodLogsToRemove(folders, pods), Names{"default_c_u3"});
  pods.all_sources_ready = false;
  EXPECT_EQ(PodLogsToRemove(folders, pods), Names{});
}

}  // namespace
}  // namespace jettison
