#include "kernel/disk_usage/tree_tally.h"

#include <gtest/gtest.h>

namespace jettison::disk_usage {
namespace {

LinkedFile File(std::uint64_t inode, std::uint32_t links) {
  return {.id = {.device = 1, .inode = inode}, .bytes = 3000, .links = links};
}

void AddName(TreeTally& tally, const LinkedFile& file) {
  DirectorySum part;
  part.linked = {file};
  tally.Add(0, part);
}

TEST(TreeTally, AFileWithSeveralNamesCountsWhereItIsMetFirst) {
  TreeTally tally;
  for (int name = 0; name < 3; ++name) AddName(tally, File(7, 4));
  EXPECT_EQ(tally.usage().inodes_used, 1U);
  EXPECT_EQ(tally.usage().used_bytes, 3000U);
}

// An identity takes memory, and a pod may make as many such files as its disk has inodes.
TEST(TreeTally, BeyondTheFilesThatAreToldApartEachNameCountsAsItsShare) {
  TreeTally tally(2);
  for (int name = 0; name < 3; ++name) {
    for (std::uint64_t inode = 1; inode <= 102; ++inode) AddName(tally, File(inode, 3));
  }
  EXPECT_EQ(tally.usage().inodes_used, 102U) << "all names are in the tree";
  EXPECT_EQ(tally.usage().used_bytes, 102U * 3000);
  AddName(tally, File(1, 3));
  EXPECT_EQ(tally.usage().inodes_used, 102U) << "it is one of those that are told apart";
  for (std::uint64_t inode = 1000; inode < 1010; ++inode) AddName(tally, File(inode, 2));
  EXPECT_EQ(tally.usage().inodes_used, 107U) << "the second names are elsewhere";
  EXPECT_EQ(tally.usage().used_bytes, 107U * 3000);
}

}  // namespace
}  // namespace jettison::disk_usage
