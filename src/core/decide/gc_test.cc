#include <gtest/gtest.h>

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/decide/garbage_collection.h"

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
Names ToRemove(const std::vector<ContainerRecord>& containers, const PodsForGc& pods) {
  Names names;
  for (const ContainerRun& run : ContainersToRemove(containers, pods)) {
    names.push_back(run.pod_uid + "/" + run.container + "#" + std::to_string(run.attempt));
  }
  return names;
}

PodsForGc Living(std::initializer_list<const char*> uids) {
  PodsForGc pods;
  for (const char* uid : uids) pods.standing.emplace(uid, PodStanding::kLives);
  return pods;
}

TEST(ContainerGc, RemovesWhatNoPodNeeds) {
  const PodsForGc done{.standing = {{"done", PodStanding::kTerminated}}};
  const PodsForGc done_and_gone{.standing = done.standing, .terminated_count_as_gone = true};
  struct Row {
    const char* rule;
    std::vector<ContainerRecord> containers;
    PodsForGc pods;
    Names removed;
  };
  const Row rows[] = {
      {"of each container of a living pod the newest dead run is kept",
       {Dead("p", "a", 0, minutes(9)), Dead("p", "a", 2, minutes(3)), Dead("p", "a", 1, minutes(6)),
        Dead("p", "b", 0, minutes(9)), Dead("q", "a", 0, minutes(9))},
       Living({"p", "q"}),
       {"p/a#0", "p/a#1"}},
      {"running containers are neither removed nor counted",
       {Dead("p", "a", 0, minutes(9)), Running("p", "a", 1, minutes(5)),
        Running("gone", "a", 0, minutes(5))},
       Living({"p"}),
       {}},
      {"all dead containers of a pod that is gone go, the oldest first",
       {Dead("z", "b", 0, minutes(1)), Dead("z", "a", 1, minutes(2)),
        Dead("z", "a", 0, minutes(3))},
       {},
       {"z/a#0", "z/a#1", "z/b#0"}},
      {"until all sources are ready an unknown pod is not gone",
       {Dead("z", "a", 0, minutes(3)), Dead("z", "a", 1, minutes(2))},
       {.standing = {}, .all_sources_ready = false},
       {"z/a#0"}},
      {"a terminated pod is not gone", {Dead("done", "a", 0, minutes(3))}, done, {}},
      {"unless asked to", {Dead("done", "a", 0, minutes(3))}, done_and_gone, {"done/a#0"}},
  };
  for (const Row& row : rows)
    EXPECT_EQ(ToRemove(row.containers, row.pods), row.removed) << row.rule;
}

using std::chrono::hours;
using Ids = std::vector<std::string>;

const Instant kImagesNow = ParseInstant("2026-01-01T00:00:00Z").value();
constexpr std::uint64_t kGiB = 1ULL << 30;

// An image of 1 GiB, first seen a day ago and not used for `unused`.
ImageRecord Image(std::string id, Duration unused) {
  return {.id = std::move(id),
          .size_bytes = kGiB,
          .first_detected = kImagesNow - hours(24),
          .last_used = kImagesNow - unused};
}

// Drives a run to its end; removals of the named images fail.
ImageGcOutcome Drive(ImageGcRun run, ImageFsUsage usage = {100 * kGiB, 50 * kGiB},
                     const std::set<std::string>& failing = {}) {
  while (!std::holds_alternative<ImageGcOutcome>(run.step())) {
    if (const auto* remove = std::get_if<RemoveImage>(&run.step())) {
      if (failing.contains(remove->id)) {
        run.RemoveFailed({ErrorCode::kUnavailable, remove->id + " is stuck"});
      } else {
        run.Removed();
      }
    } else {
      run.Measured(usage);
    }
  }
  return std::get<ImageGcOutcome>(run.step());
}

ImageGcOutcome DeleteUnused(const std::vector<ImageRecord>& images, ImageGcPolicy policy = {},
                            const std::set<std::string>& failing = {}) {
  return Drive(ImageGcRun(policy, ImageGcMode::kDeleteUnused, images, {kImagesNow, hours(1)}), {},
               failing);
}

ImageGcOutcome Collect(const std::vector<ImageRecord>& images, ImageFsUsage usage,
                       ImageGcPolicy policy = {}, Duration uptime = hours(1000)) {
  return Drive(ImageGcRun(policy, ImageGcMode::kGarbageCollect, images, {kImagesNow, uptime}),
               usage);
}

TEST(ImageGc, AnImageUsedAtTheMomentOfTheCollectionStays) {
  EXPECT_EQ(DeleteUnused({Image("now", Duration(0)), Image("before", Duration(1))}).removed,
            Ids{"before"});
}

TEST(ImageGc, AFailedRemovalFreesNothingAndTheOthersGoOn) {
  const auto outcome = DeleteUnused({Image("a", hours(2)), Image("b", hours(1))}, {}, {"a"});
  EXPECT_EQ(outcome.removed, Ids{"b"});
  EXPECT_EQ(outcome.freed_bytes, kGiB);
  EXPECT_EQ(outcome.error.value().message,
            "freed 1073741824 bytes by removing unused images; some stayed: a is stuck");
  EXPECT_FALSE(outcome.event);
}

TEST(ImageGc, TooLittleToFreeIsAnErrorAndAnEvent) {
  const auto outcome = Collect({Image("a", hours(1))}, {100 * kGiB, 10 * kGiB});
  EXPECT_EQ(outcome.removed, Ids{"a"});
  ASSERT_TRUE(outcome.error && outcome.event);
  EXPECT_EQ(outcome.event->object, "node");
  EXPECT_EQ(outcome.event->type, EventType::kWarning);
  EXPECT_EQ(outcome.event->reason, "FreeDiskSpaceFailed");
  EXPECT_EQ(outcome.event->message,
            "Insufficient free disk space on the node's image filesystem (90% of 100.0 GiB used). "
            "Failed to free sufficient space by deleting unused images (freed 1073741824 bytes). "
            "Investigate disk usage, as it could be used by active images, logs, volumes, or other "
            "data.");
}

TEST(ImageGc, AFailureByAgeEndsTheCollectionBeforeTheFileSystemIsMeasured) {
  const std::vector<ImageRecord> images = {Image("old", hours(13)), Image("older", hours(14))};
  ImageGcRun run({.max_age = hours(12)}, ImageGcMode::kGarbageCollect, images,
                 {kImagesNow, hours(100)});
  run.RemoveFailed({ErrorCode::kUnavailable, "it is stuck"});
  run.Removed();
  const auto* outcome = std::get_if<ImageGcOutcome>(&run.step());
  ASSERT_NE(outcome, nullptr);
  EXPECT_EQ(outcome->removed, Ids{"old"});
  EXPECT_EQ(outcome->error->message, "remove images unused for more than 12h0m0s: it is stuck");
}

TEST(ImageGc, WithoutAMeasurementNothingGoesForSpace) {
  const std::vector<ImageRecord> images = {Image("a", hours(13))};
  ImageGcRun run({}, ImageGcMode::kGarbageCollect, images, {kImagesNow, hours(100)});
  run.MeasureFailed({ErrorCode::kUnavailable, "no answer"});
  EXPECT_EQ(std::get<ImageGcOutcome>(run.step()).error->message,
            "measure the image file system: no answer");
}

TEST(DetectImages, KeepsWhatIsKnownAddsWhatIsNewAndForgetsWhatIsGone) {
  const std::vector<ImageRecord> known = {Image("gone", hours(1)), Image("kept", hours(3)),
                                          Image("used", hours(3))};
  const auto records = DetectImages(known,
                                    {{.id = "used", .size_bytes = 7, .in_use = true},
                                     {.id = "new", .size_bytes = 5, .pinned = true},
                                     {.id = "kept", .size_bytes = 6}},
                                    kImagesNow, kImagesNow);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].id, "kept");
  EXPECT_EQ(records[0].size_bytes, 6U);
  EXPECT_EQ(records[0].last_used, kImagesNow - hours(3));
  EXPECT_EQ(records[1].id, "new");
  EXPECT_EQ(records[1].first_detected, kImagesNow);
  EXPECT_FALSE(records[1].last_used);
  EXPECT_TRUE(records[1].pinned);
  EXPECT_EQ(records[2].id, "used");
  EXPECT_TRUE(records[2].in_use);
  EXPECT_EQ(records[2].last_used, kImagesNow);
  EXPECT_EQ(records[2].first_detected, kImagesNow - hours(24));
}

TEST(DetectImages, OneThatIsListedTwiceIsInUseIfEitherEntryIs) {
  for (const bool first : {true, false}) {
    const auto records = DetectImages(
        {}, {{.id = "twice", .in_use = first}, {.id = "twice", .in_use = !first}}, {}, kImagesNow);
    ASSERT_EQ(records.size(), 1U);
    EXPECT_TRUE(records[0].in_use) << first;
    EXPECT_EQ(records[0].last_used, kImagesNow) << first;
  }
}

TEST(DetectImages, ThoseFoundAtTheStartAreOldEnough) {
  const auto records =
      DetectImages({}, {{.id = "found", .size_bytes = 5}}, std::nullopt, kImagesNow);
  EXPECT_EQ(DeleteUnused(records, {.min_age = hours(1000)}).removed, Ids{"found"});
}

}  // namespace
}  // namespace jettison
