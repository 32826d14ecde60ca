#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Threshold Of(Signal signal, std::int64_t amount, Duration grace = Duration::zero()) {
  return {.signal = signal,
          .value = Quantity::Of(amount),
          .grace_period = grace,
          .min_reclaim = Quantity::Of(amount * 10)};
}

std::vector<std::string> ShowAll(const std::vector<Threshold>& thresholds) {
  std::vector<std::string> lines;
  for (const Threshold& t : thresholds) {
    lines.push_back(std::string(NameOf(t.signal)) + " " + std::get<Quantity>(t.value).ToString() +
                    " " + FormatDuration(t.grace_period) + " " +
                    std::get<Quantity>(*t.min_reclaim).ToString());
  }
  return lines;
}

constexpr Duration kMinute = std::chrono::minutes(1);
constexpr DiskLayout kOne = {};
constexpr DiskLayout kDedicated = {.dedicated_image_fs = true};
constexpr DiskLayout kSplit = {.dedicated_image_fs = true, .dedicated_container_fs = true};

std::vector<Threshold> Configured() {
  return {Of(Signal::kContainerFsAvailable, 1), Of(Signal::kNodeFsAvailable, 2),
          Of(Signal::kNodeFsAvailable, 3, kMinute), Of(Signal::kImageFsAvailable, 4),
          Of(Signal::kImageFsInodesFree, 5, kMinute)};
}

TEST(ContainerFsThresholds, FollowNodeFsOnOneFileSystemAndOnASplitOne) {
  for (const DiskLayout layout : {kOne, kSplit}) {
    EXPECT_THAT(ShowAll(ThresholdsFor(Configured(), layout)),
                ElementsAre("nodefs.available 2 0s 20", "nodefs.available 3 1m0s 30",
                            "imagefs.available 4 0s 40", "imagefs.inodesFree 5 1m0s 50",
                            "containerfs.available 2 0s 20", "containerfs.available 3 1m0s 30"));
  }
}

TEST(ContainerFsThresholds, FollowImageFsWhereOnlyImagesHaveTheirOwn) {
  EXPECT_THAT(ShowAll(ThresholdsFor(Configured(), kDedicated)),
              ElementsAre("nodefs.available 2 0s 20", "nodefs.available 3 1m0s 30",
                          "imagefs.available 4 0s 40", "imagefs.inodesFree 5 1m0s 50",
                          "containerfs.available 4 0s 40", "containerfs.inodesFree 5 1m0s 50"));
}

TEST(ContainerFsThresholds, AreNotThereWhereTheirSourceIsNot) {
  EXPECT_THAT(ThresholdsFor({Of(Signal::kContainerFsAvailable, 1)}, kOne), IsEmpty());
}

TEST(ContainerFsThresholds, ThoseOnImageFsAreLeftOutWhileItIsNotKnown) {
  EXPECT_THAT(ShowAll(ThresholdsFor(
                  {Of(Signal::kMemoryAvailable, 1), Of(Signal::kImageFsAvailable, 2),
                   Of(Signal::kNodeFsAvailable, 3), Of(Signal::kImageFsInodesFree, 4, kMinute)},
                  std::nullopt)),
              ElementsAre("memory.available 1 0s 10", "nodefs.available 3 0s 30",
                          "containerfs.available 3 0s 30"));
}

TEST(ContainerFsThresholds, ASoftSourceWithoutGraceReplacesTheHardOne) {
  EXPECT_THAT(ShowAll(ThresholdsFor(
                  {Of(Signal::kNodeFsAvailable, 2), Of(Signal::kNodeFsAvailable, 3)}, kOne)),
              ElementsAre("nodefs.available 2 0s 20", "nodefs.available 3 0s 30",
                          "containerfs.available 3 0s 30"));
}

}  // namespace
}  // namespace jettison
