#include "sources/foreign/found_foreign_pod.h"

#include <gmock/gmock.h>

#include "sources/foreign/foreign_group.h"

namespace jettison {
namespace {

using namespace testing;

ForeignIdentity Sandbox() {
  return {.key = "abc", .name = "name", .namespace_ = "space", .uid = "uid"};
}

ForeignContainer Running(const std::string& id, const std::string& name, const std::string& group) {
  ForeignContainer container;
  container.id = id;
  container.given_name = name;
  container.image = "bed.local/" + name + ":1";
  container.name = name;
  container.group = group;
  return container;
}

TEST(ForeignPodValue, LabelsComeBeforeMetadataAndThatBeforeIds) {
  ForeignIdentity sandbox = Sandbox();
  Pod pod = ReadForeignPod(sandbox, {}).pod;
  EXPECT_EQ(FullName(pod), "space/name");
  EXPECT_EQ(pod.uid, "uid");
  EXPECT_EQ(pod.restart_policy, RestartPolicy::kNever);
  auto& labels = sandbox.labels;
  labels["io.kubernetes.pod.name"] = "web";
  labels["io.kubernetes.pod.namespace"] = "shop";
  labels["io.kubernetes.pod.uid"] = "1-2-3";
  pod = ReadForeignPod(sandbox, {}).pod;
  EXPECT_EQ(FullName(pod), "shop/web");
  EXPECT_EQ(pod.uid, "1-2-3");
  for (auto& [name, value] : labels) value = "../up";
  sandbox.name = sandbox.namespace_ = sandbox.uid = "";
  pod = ReadForeignPod(sandbox, {}).pod;
  EXPECT_EQ(FullName(pod), "default/abc");
  EXPECT_EQ(pod.uid, "abc");
}

TEST(ForeignPodValue, TheQosClassIsTheAnnotationsOrThatOfTheGroup) {
  struct Row {
    const char* group;
    std::optional<QosClass> qos;
  };
  ForeignIdentity sandbox = Sandbox();
  for (const Row& row : {Row{"kubepods/podu/1", QosClass::kGuaranteed},
                         Row{"kubepods/burstable/podu/1", QosClass::kBurstable},
                         Row{"kubepods.slice/kubepods-besteffort.slice/x/1", QosClass::kBestEffort},
                         Row{"k8s.io/burstable", std::nullopt}}) {
    EXPECT_EQ(ReadForeignPod(sandbox, {Running("1", "a", row.group)}).pod.status_qos_class, row.qos)
        << row.group;
  }
  sandbox.annotations["jettison.io/qos"] = "Burstable";
  EXPECT_EQ(ReadForeignPod(sandbox, {Running("1", "a", "kubepods/podu/1")}).pod.status_qos_class,
            QosClass::kBurstable);
}

TEST(ForeignPodValue, WhatAnnotationsSayOfThePodComesBeforeWhatWasFound) {
  ForeignIdentity sandbox = Sandbox();
  std::vector<ForeignContainer> containers = {Running("1", "a", "k/1"), Running("2", "b", "k/2")};
  containers[0].memory_limit = 100;
  containers[1].memory_limit = 50;
  Pod pod = ReadForeignPod(sandbox, containers).pod;
  EXPECT_EQ(pod.containers[1].resources.limits.at("memory"), Quantity::Of(50));
  EXPECT_EQ(pod.containers[1].image, "bed.local/b:1");
  auto& annotations = sandbox.annotations;
  annotations["jettison.io/priority"] = "-7";
  annotations["jettison.io/requests.memory"] = "64Mi";
  annotations["jettison.io/requests.cpu"] = "250m";
  annotations["jettison.io/requests.ephemeral-storage"] = "1Gi";
  annotations["jettison.io/limits.memory"] = "128Mi";
  annotations["io.kubernetes.pod.terminationGracePeriod"] = "12";
  const ForeignReading reading = ReadForeignPod(sandbox, containers);
  pod = reading.pod;
  EXPECT_THAT(reading.ignored, IsEmpty());
  EXPECT_EQ(pod.priority, -7);
  EXPECT_EQ(pod.termination_grace_period_seconds, 12);
  const ResourceRequirements& all = pod.containers[0].resources;
  EXPECT_EQ(all.requests.at("memory"), Quantity::Of(64 << 20));
  EXPECT_EQ(all.requests.at("cpu").MilliValue(), 250);
  EXPECT_EQ(all.requests.at("ephemeral-storage"), Quantity::Of(1 << 30));
  EXPECT_EQ(all.limits.at("memory"), Quantity::Of(128 << 20));
  EXPECT_EQ(pod.containers[1].resources, ResourceRequirements{});
}

TEST(ForeignPodValue, NonsenseIsNamedAndIgnored) {
  ForeignIdentity sandbox = Sandbox();
  auto& annotations = sandbox.annotations;
  annotations["jettison.io/priority"] = "99999999999";
  annotations["jettison.io/qos"] = "Best";
  annotations["jettison.io/requests.memory"] = "-1";
  annotations["jettison.io/requests.cpu"] = "";
  annotations["jettison.io/limits.memory"] = "much";
  annotations["io.kubernetes.pod.terminationGracePeriod"] = "-3";
  const ForeignReading reading = ReadForeignPod(sandbox, {Running("1", "a", "k/1")});
  EXPECT_THAT(reading.ignored,
              ElementsAre("jettison.io/priority: 99999999999", "jettison.io/qos: Best",
                          "jettison.io/requests.cpu: ", "jettison.io/requests.memory: -1",
                          "jettison.io/limits.memory: much"));
  EXPECT_FALSE(reading.pod.priority);
  EXPECT_FALSE(reading.pod.status_qos_class);
  EXPECT_FALSE(reading.pod.termination_grace_period_seconds);
  EXPECT_EQ(reading.pod.containers[0].resources, ResourceRequirements{});
}

TEST(ForeignSpec, TheDeclaredGroupIsTheProcesssOrAboveIt) {
  struct Row {
    const char* group;
    const char* path;
    const char* declared;
  };
  for (const Row& row :
       {Row{"/default/web", "/default/web", "/default/web"},
        Row{"/default/web/init", "/default/web", "/default/web"},
        Row{"/default/website", "/default/web", ""}, Row{"/default", "/default/web", ""},
        Row{"/default/web", "", ""}, Row{"/default/web", "/", ""},
        Row{"/default/web", "default/web", ""},
        Row{"/system.slice/docker-1a.scope", "system.slice:docker:1a",
            "/system.slice/docker-1a.scope"},
        Row{"/a.slice/a-b.slice/nerdctl-1a.scope/x", "a-b.slice:nerdctl:1a",
            "/a.slice/a-b.slice/nerdctl-1a.scope"},
        Row{"/system.slice/1a.scope", "system.slice::1a", "/system.slice/1a.scope"},
        Row{"/system.slice/docker-1ab.scope", "system.slice:docker:1a", ""},
        Row{"/system.slice", "system.slice:docker", ""}}) {
    EXPECT_EQ(DeclaredGroup(row.group, row.path), row.declared) << row.group << " " << row.path;
  }
}

TEST(ForeignSpec, SharesAskForWhatTheKubeletWouldHaveMadeThemOf) {
  EXPECT_EQ(MilliCpuOf(0), std::nullopt);
  EXPECT_EQ(MilliCpuOf(2), std::nullopt);
  EXPECT_EQ(MilliCpuOf(3), 3);
  EXPECT_EQ(MilliCpuOf(102), 100);
  EXPECT_EQ(MilliCpuOf(256), 250);
  EXPECT_EQ(MilliCpuOf(1024), 1000);
  EXPECT_EQ(MilliCpuOf(UINT64_MAX), 256'000);
}

}  // namespace
}  // namespace jettison
