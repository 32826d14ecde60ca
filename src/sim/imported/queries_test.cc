#include "sim/imported/queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(ImportQueries, PodsAreAskedForInBatches) {
  NodeNames names{.node = "a", .instances = {}, .pod_uids = {}};
  for (int i = 0; i < 250; ++i) {
    Learn({.name = "kube_pod_info",
           .labels = {{"node", "a"}, {"pod", "p"}, {"uid", "u" + std::to_string(i)}},
           .samples = {}},
          names);
  }
  const auto queries = QueriesFor(names);
  ASSERT_EQ(queries.size(), 6U);
  EXPECT_THAT(queries, Contains(HasSubstr("kube_pod_(completion_time|")).Times(3));
}

TEST(ImportQueries, WhatIsScrapedOnTheNodeIsFoundByItsAddressOrItsInstance) {
  NodeNames names{.node = "a", .instances = {AsPattern("10.0.0.8:9100")}, .pod_uids = {}};
  const MetricSeries series[] = {
      {"kube_node_info", {{"node", "a"}, {"internal_ip", "10.0.0.7"}, {"instance", "ksm:80"}}, {}},
      {"node_uname_info", {{"nodename", "a"}, {"instance", "exporter-1"}}, {}},
      {"kubelet_node_name", {{"node", "b"}, {"exported_node", "a"}, {"instance", "kubelet-1"}}, {}},
      {"kubelet_node_name", {{"node", "a"}, {"exported_node", "b"}, {"instance", "other"}}, {}},
  };
  for (const MetricSeries& each : series) Learn(each, names);
  EXPECT_THAT(QueriesFor(names)[0],
              testing::EndsWith("instance=~\"a(:[0-9]+)?|.?10[.]0[.]0[.]7.?(:[0-9]+)?|"
                                "10[.]0[.]0[.]8:9100|exporter-1|kubelet-1\"}"));
}

}  // namespace
}  // namespace jettison
