#include "core/pods/pod_kind.h"

#include <gtest/gtest.h>

#include <string>

namespace jettison {
namespace {

Pod Annotated(const std::string& key, const std::string& value) {
  Pod pod;
  pod.annotations[key] = value;
  return pod;
}

Pod OfPriority(std::int32_t priority) {
  Pod pod;
  pod.priority = priority;
  return pod;
}

TEST(PodKind, IsCriticalFromTwoBillionOn) {
  EXPECT_FALSE(IsCriticalByPriority(Pod{}));
  EXPECT_FALSE(IsCriticalByPriority(OfPriority(1'999'999'999)));
  EXPECT_TRUE(IsCriticalByPriority(OfPriority(2'000'000'000)));
}

TEST(PodKind, StaticAndMirrorPodsAreCriticalForTheKubeletOnly) {
  for (const Pod& pod : {Annotated("kubernetes.io/config.source", "file"),
                         Annotated("kubernetes.io/config.mirror", "hash")}) {
    EXPECT_TRUE(IsCritical(pod, Profile::kKubelet));
    EXPECT_FALSE(IsCritical(pod, Profile::kStandalone));
  }
  for (Profile profile : {Profile::kKubelet, Profile::kStandalone}) {
    EXPECT_TRUE(IsCritical(OfPriority(2'000'001'000), profile));
    EXPECT_FALSE(IsCritical(Pod{}, profile));
  }
}

}  // namespace
}  // namespace jettison
