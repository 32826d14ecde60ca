#include "sources/kubernetes/pods/kubelet_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ApiPod PodWith(std::vector<std::string> containers, std::vector<std::string> init = {}) {
  ApiPod pod;
  pod.head = {.namespace_ = "default", .name = "web", .uid = "u1", .resource_version = "1"};
  for (std::string& name : containers) pod.pod.containers.push_back({.name = std::move(name)});
  for (std::string& name : init) pod.pod.init_containers.push_back({.name = std::move(name)});
  return pod;
}

ContainerStatus Told(const std::string& name, const std::string& id, bool is_ephemeral = false) {
  return {.name = name, .id = id, .is_ephemeral = is_ephemeral, .restarts = 1};
}

// "name=id", in the order in which they are found.
std::vector<std::string> NamesIn(const ApiPod& pod, const std::vector<std::string>& ids) {
  std::vector<SeenContainer> seen;
  std::uint64_t began = 1;
  for (const std::string& id : ids) {
    seen.push_back({.id = id, .group = "g/" + id, .pid = 1, .began = began++});
  }
  std::vector<std::string> names;
  for (const ForeignContainer& one : ContainersOf(pod, seen, {})) {
    names.push_back(one.name + "=" + one.id);
  }
  return names;
}

TEST(IdIn, IsWhatTheRuntimeCallsTheContainerWhateverTheDriver) {
  EXPECT_EQ(IdIn("0123abc"), "0123abc");
  EXPECT_EQ(IdIn("cri-containerd-0123abc.scope"), "0123abc");
  EXPECT_EQ(IdIn("crio-0123abc.scope"), "0123abc");
}

TEST(ContainersOfPod, TheFirstThatNobodyToldIsTheSandbox) {
  const ApiPod pod = PodWith({"a", "b"});
  EXPECT_THAT(NamesIn(pod, {}), IsEmpty());
  EXPECT_THAT(NamesIn(pod, {"s"}), IsEmpty());
  EXPECT_THAT(NamesIn(pod, {"s", "1"}), ElementsAre("a=1"));
  EXPECT_THAT(NamesIn(pod, {"s", "1", "2"}), ElementsAre("a=1", "b=2"));
}

TEST(ContainersOfPod, MoreThanThePodHasAreLeftOut) {
  EXPECT_THAT(NamesIn(PodWith({"a"}), {"s", "1", "2"}), ElementsAre("a=1"));
}

TEST(ContainersOfPod, WhatTheStatusTellsComesFirst) {
  ApiPod pod = PodWith({"a", "b"});
  pod.containers = {Told("b", "2")};
  EXPECT_THAT(NamesIn(pod, {"s", "2", "3"}), ElementsAre("b=2", "a=3"));
  // Without a sandbox, as CRI-O may leave it out.
  EXPECT_THAT(NamesIn(pod, {"2"}), ElementsAre("b=2"));
}

TEST(ContainersOfPod, InitContainersBeginBeforeTheOthers) {
  ApiPod pod = PodWith({"a"}, {"i"});
  EXPECT_THAT(NamesIn(pod, {"s", "1"}), ElementsAre("i=1"));
  pod.conditions = {{.type = "Initialized", .status = "True"}};
  EXPECT_THAT(NamesIn(pod, {"s", "1"}), ElementsAre("a=1"));
}

TEST(ContainersOfPod, WhatLooksIntoThePodIsNone) {
  ApiPod pod = PodWith({"a"});
  pod.containers = {Told("a", "1"), Told("debug", "2", true)};
  EXPECT_THAT(NamesIn(pod, {"s", "1", "2"}), ElementsAre("a=1"));
}

TEST(ContainersOfPod, ARunThatIsNotToldYetIsOneLater) {
  ApiPod pod = PodWith({"a"});
  pod.containers = {Told("a", "1")};
  const auto again =
      ContainersOf(pod, {{.id = "s", .pid = 1, .began = 1}, {.id = "2", .pid = 2, .began = 2}}, {});
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].attempt, 2);
}

}  // namespace
}  // namespace jettison::kube
