// The Helm chart makes what the kustomizations make, and what its values say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "tests/packaging/chart.h"
#include "tests/packaging/kustomized.h"
#include "tests/packaging/objects.h"

namespace jettison {
namespace {

using testing::Contains;
using testing::Key;

const std::string kKubernetes = std::string(JETTISON_SOURCE) + "/packaging/kubernetes";
const std::string kNamespace = "jettison-system";

// A chart whose values are left alone makes the objects of the overlay, but for the namespace.
TEST_F(Kustomization, OfShadowIsWhatTheChartMakes) {
  auto overlay = Kustomized(kKubernetes + "/overlays/shadow");
  overlay.erase("Namespace jettison-system");
  auto chart = ByName(Chart(kKubernetes + "/chart", {}).Objects(kNamespace));
  // That has its own words for the same configuration, as below.
  for (auto* objects : {&overlay, &chart}) objects->erase("ConfigMap jettison");
  for (auto* objects : {&overlay, &chart}) {
    EXPECT_TRUE(DropInsOf(*objects).empty());
    objects->erase("ConfigMap jettison-drop-ins");
  }
  const std::regex checksum("checksum/configuration: \"checksum\", ");
  for (const auto& [name, object] : overlay) {
    ASSERT_THAT(chart, Contains(Key(name)));
    EXPECT_EQ(std::regex_replace(Canonical(chart.at(name)), checksum, ""), Canonical(object))
        << name;
  }
  EXPECT_EQ(chart.size(), overlay.size());
}

TEST(Chart, MeansWhatItsValuesSay) {
  const auto plain =
      Configuration(ConfigurationOf(ByName(Chart(kKubernetes + "/chart", {}).Objects("x"))));
  const auto shadow = Configuration(FileText(kKubernetes + "/overlays/shadow/jettison.yaml"));
  EXPECT_TRUE(plain.config.dry_run);
  EXPECT_EQ(plain.config.kubernetes.kubelet_configuration,
            shadow.config.kubernetes.kubelet_configuration);
  const auto changed = ByName(Chart(kKubernetes + "/chart", {{"dryRun", "false"},
                                                         {"kubelet.configuration", ""},
                                                         {"kubelet.jobs", "terminate"},
                                                         {"metrics.enabled", "true"}})
                                  .Objects("x"));
  const auto reading = Configuration(ConfigurationOf(changed));
  EXPECT_FALSE(reading.config.dry_run);
  EXPECT_EQ(reading.config.kubernetes.kubelet_configuration, "");
  EXPECT_EQ(reading.config.kubernetes.jobs, JobEnding::kTerminate);
  EXPECT_EQ(reading.config.http.address, "[::]:10350") << "over IPv4 and IPv6";
  EXPECT_THAT(changed, Contains(Key("ClusterRole jettison-configz")));
  EXPECT_THAT(changed, Contains(Key("PodMonitor jettison")));
  EXPECT_EQ(TextAt(changed.at("PrometheusRule jettison"), "metadata.namespace"), "x");
}

}  // namespace
}  // namespace jettison
