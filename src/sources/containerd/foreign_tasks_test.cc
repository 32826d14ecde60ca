#include "sources/containerd/foreign_tasks.h"

#include <gtest/gtest.h>

namespace jettison::cri {
namespace {

containers_api::Container Web() {
  containers_api::Container container;
  container.set_id("1a2b");
  container.set_image("docker.io/library/nginx:1");
  return container;
}

Pod PodOf(const containers_api::Container& container, const ContainerSpec& spec = {},
          const std::string& in_namespace = "default") {
  std::vector<ForeignContainer> containers = {ContainerFor(container, spec)};
  NameContainers(containers);
  return ReadForeignPod(IdentityOf(in_namespace, container, spec), containers).pod;
}

TEST(ForeignTaskValue, IsNamedByNerdctlElseByItsId) {
  containers_api::Container container = Web();
  Pod pod = PodOf(container);
  EXPECT_EQ(FullName(pod), "default/1a2b");
  EXPECT_EQ(pod.uid, "1a2b");
  ASSERT_EQ(pod.containers.size(), 1U);
  EXPECT_EQ(pod.containers[0].name, "1a2b");
  EXPECT_EQ(pod.containers[0].image, "docker.io/library/nginx:1");
  auto& labels = *container.mutable_labels();
  labels["nerdctl/name"] = "shop-web-1";
  labels["com.docker.compose.project"] = "shop";
  pod = PodOf(container, {}, "moby");
  EXPECT_EQ(FullName(pod), "moby/shop-web-1");
  EXPECT_EQ(pod.containers[0].name, "shop-web-1");
  EXPECT_EQ(pod.labels.at("com.docker.compose.project"), "shop");
  labels["nerdctl/name"] = "../up";
  EXPECT_EQ(FullName(PodOf(container)), "default/1a2b");
}

TEST(ForeignTaskValue, LabelsOfKubernetesNameItButDoNotMakeItOneWithOthers) {
  containers_api::Container container = Web();
  auto& labels = *container.mutable_labels();
  labels["io.kubernetes.pod.name"] = "web";
  labels["io.kubernetes.pod.namespace"] = "shop";
  labels["io.kubernetes.pod.uid"] = "1-2-3";
  labels["io.kubernetes.container.name"] = "main";
  const Pod pod = PodOf(container);
  EXPECT_EQ(FullName(pod), "shop/web");
  EXPECT_EQ(pod.uid, "1a2b");
  EXPECT_EQ(pod.containers[0].name, "main");
}

TEST(ForeignTaskValue, AnnotationsComeBeforeLabels) {
  containers_api::Container container = Web();
  auto& labels = *container.mutable_labels();
  labels["jettison.io/priority"] = "5";
  labels["jettison.io/requests.memory"] = "64Mi";
  labels["jettison.io/qos"] = "Burstable";
  const Pod pod = PodOf(container, {.annotations = {{"jettison.io/priority", "7"}}});
  EXPECT_EQ(pod.priority, 7);
  EXPECT_EQ(pod.status_qos_class, QosClass::kBurstable);
  EXPECT_EQ(pod.containers[0].resources.requests.at("memory"), Quantity::Of(64 << 20));
}

}  // namespace
}  // namespace jettison::cri
