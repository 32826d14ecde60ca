#include <gtest/gtest.h>

#include "kernel/groups/layout/cgroup_layout.h"

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

TEST(PodPart, IsThePathOfThePodsGroup) {
  struct Case {
    const char* path;
    const char* pod;
  };
  const Case cases[] = {
      {"", ""},
      {"kubepods/podA", "kubepods/podA"},
      {"kubepods/podA/main", "kubepods/podA"},
      {"kubepods/besteffort/podA/main/pod-of-its-own", "kubepods/besteffort/podA"},
      {"kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podA.slice/cri-1.scope",
       "kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podA.slice"},
      {"kubepods.slice/kubepods-podA.slice/main.scope", "kubepods.slice/kubepods-podA.slice"},
      {"kubepods/besteffort", "kubepods/besteffort"},
      {"docker/1234", "docker/1234"}};
  for (const Case& one : cases) EXPECT_EQ(PodPart(one.path), one.pod) << one.path;
}

}  // namespace
}  // namespace jettison::kernel
