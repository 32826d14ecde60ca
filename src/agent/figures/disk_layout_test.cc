#include "agent/figures/disk_layout.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace jettison {
namespace {

constexpr DiskLayout kOne = {};
constexpr DiskLayout kDedicated = {.dedicated_image_fs = true};
constexpr DiskLayout kSplit = {.dedicated_image_fs = true, .dedicated_container_fs = true};

TEST(DiskLayout, FollowsFromTheDevices) {
  struct Row {
    const char* rule;
    DiskDevices devices;
    DiskLayout layout;
  };
  const std::array rows = {
      Row{"one file system", {.node = 1, .images = 1, .containers = 1}, kOne},
      Row{"images and writable layers apart",
          {.node = 1, .images = 2, .containers = 2},
          kDedicated},
      Row{"only images apart", {.node = 1, .images = 2, .containers = 1}, kSplit},
      Row{"three of them", {.node = 1, .images = 2, .containers = 3}, kSplit},
      Row{"only writable layers apart", {.node = 1, .images = 1, .containers = 3}, kSplit},
      Row{"a runtime that does not tell of writable layers", {.node = 1, .images = 2}, kDedicated},
      Row{"a runtime without images", {.node = 1}, kOne},
      Row{"nothing is known of nodefs", {.images = 2, .containers = 3}, kOne},
  };
  for (const Row& row : rows) EXPECT_EQ(LayoutOf(row.devices), row.layout) << row.rule;
}

TEST(DiskLayout, EachIsToldInOtherWords) {
  std::set<std::string> words;
  for (const DiskLayout layout : {kOne, kDedicated, kSplit, kSplit}) {
    words.insert(Describe(layout));
  }
  EXPECT_EQ(words.size(), 3U);
}

TEST(DiskLayout, APlaceThatIsNotThereCountsAsOnNodefsAndIsSaid) {
  const DiskSurvey survey = SurveyDisks({.node = "/", .images = "/nonexistent/images"});
  EXPECT_EQ(survey.layout, kOne);
  EXPECT_EQ(survey.image_fs, "");
  EXPECT_EQ(survey.container_fs, "");
  ASSERT_EQ(survey.faults.size(), 1U);
  EXPECT_NE(survey.faults[0].find("images"), std::string::npos);
}

TEST(DiskLayout, FileSystemsOfTheirOwnAreMeasuredByTheirPlaces) {
  const DiskSurvey survey =
      SurveyDisks({.node = "/", .images = "/proc", .containers = "/proc/sys"});
  EXPECT_EQ(survey.layout, kDedicated);
  EXPECT_EQ(survey.image_fs, "/proc");
  EXPECT_EQ(survey.container_fs, "/proc/sys");
}

}  // namespace
}  // namespace jettison
