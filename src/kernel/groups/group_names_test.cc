#include "kernel/groups/group_names.h"

#include <gtest/gtest.h>

namespace jettison::kernel {
namespace {

TEST(SliceOf, EachSliceIsNamedByThoseAboveItAndADashInANameIsAnUnderscore) {
  struct Case {
    const char* root;
    const char* slice;
    const char* below;
  };
  const Case cases[] = {{"", "", ""},
                        {"/", "", ""},
                        {"/kubelet", "/kubelet.slice", "kubelet-"},
                        {"/a/b", "/a.slice/a-b.slice", "a-b-"},
                        {"/a/b/c", "/a.slice/a-b.slice/a-b-c.slice", "a-b-c-"},
                        {"/my-root", "/my_root.slice", "my_root-"},
                        {"/a-b/c-d", "/a_b.slice/a_b-c_d.slice", "a_b-c_d-"},
                        {"/a_b", "/a_b.slice", "a_b-"}};
  for (const Case& one : cases) {
    EXPECT_EQ(SliceOf(one.root), one.slice) << one.root;
    EXPECT_EQ(SlicesBelow(one.root), one.below) << one.root;
  }
}

}  // namespace
}  // namespace jettison::kernel
