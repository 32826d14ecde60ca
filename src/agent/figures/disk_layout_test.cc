#include <gtest/gtest.h>

#include <array>
#include <set>

#include "agent/figures/file_systems.h"

namespace jettison {
namespace {

constexpr DiskLayout kOne = {};
constexpr DiskLayout kDedicated = {.dedicated_image_fs = true};
constexpr DiskLayout kSplit = {.dedicated_image_fs = true, .dedicated_container_fs = true};

TEST(DiskLayout, FollowsFromThePlaces) {
  struct Row {
    const char* rule;
    DiskPlaces places;
    DiskLayout layout;
  };
  const std::array rows = {
      Row{"one file system", {.node = "/", .images = "/", .containers = "/"}, kOne},
      Row{"both apart", {.node = "/", .images = "/proc", .containers = "/proc/sys"}, kDedicated},
      Row{"only images apart", {.node = "/", .images = "/proc", .containers = "/"}, kSplit},
      Row{"three of them", {.node = "/", .images = "/proc", .containers = "/dev"}, kSplit},
      Row{"only layers apart", {.node = "/", .images = "/", .containers = "/dev"}, kSplit},
      Row{"the runtime does not tell of layers", {.node = "/", .images = "/proc"}, kDedicated},
      Row{"a runtime without images", {.node = "/"}, kOne},
      Row{"nothing is known of nodefs", {.node = "/none", .images = "/proc"}, kOne},
  };
  for (const Row& row : rows) EXPECT_EQ(SurveyDisks(row.places).layout, row.layout) << row.rule;
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
