#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/disk_usage/remembered_trees.h"

namespace jettison::disk_usage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr DirectoryKey kTop = 1;
constexpr DirectoryKey kWide = 2;
constexpr DirectoryKey kOther = 3;
constexpr DirectoryKey kFirst = 1000;  // of the children of the wide one

// A top with two directories; one of them has `width` children.
DirectoryTable Table(std::size_t width) {
  DirectoryTable table;
  table.Add(kTop, 0, 1);
  table.Add(kWide, kTop, 1);
  table.Add(kOther, kTop, 1);
  for (DirectoryKey child = kFirst; child < kFirst + width; ++child) table.Add(child, kWide, 1);
  return table;
}

TEST(DirectoryTable, AChildLeavesItsParentFromWhicheverPlace) {
  for (const DirectoryKey leaving : {kFirst, kFirst + 1, kFirst + 2}) {
    DirectoryTable removed = Table(3);
    EXPECT_EQ(removed.Remove(leaving).size(), 1U);
    EXPECT_EQ(removed.ChildrenOf(kWide).size(), 2U);
    EXPECT_THAT(removed.ChildrenOf(kWide), testing::Not(testing::Contains(leaving)));
    DirectoryTable moved = Table(3);
    ASSERT_TRUE(moved.Move(leaving, kOther));
    EXPECT_EQ(moved.ChildrenOf(kWide), removed.ChildrenOf(kWide));
    EXPECT_THAT(moved.ChildrenOf(kOther), ElementsAre(leaving));
    EXPECT_EQ(moved.Find(leaving)->parent, kOther);
    ASSERT_TRUE(moved.Move(leaving, kWide));
    EXPECT_THAT(moved.ChildrenOf(kWide), UnorderedElementsAre(kFirst, kFirst + 1, kFirst + 2));
    EXPECT_THAT(moved.ChildrenOf(kOther), IsEmpty());
  }
}

TEST(DirectoryTable, ADirectoryIsRemovedWithEverythingBelow) {
  DirectoryTable table = Table(5);
  EXPECT_EQ(table.Remove(kWide).size(), 6U);
  EXPECT_THAT(table.ChildrenOf(kTop), ElementsAre(kOther));
  EXPECT_EQ(table.Remove(kTop).size(), 2U);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_THAT(table.Remove(kTop), IsEmpty());
}

TEST(DirectoryTable, ADirectoryDoesNotMoveBelowItself) {
  DirectoryTable table = Table(1);
  EXPECT_FALSE(table.Move(kWide, kFirst));
  EXPECT_FALSE(table.Move(kWide, kWide));
  EXPECT_THAT(table.ChildrenOf(kTop), UnorderedElementsAre(kWide, kOther));
}

}  // namespace
}  // namespace jettison::disk_usage
