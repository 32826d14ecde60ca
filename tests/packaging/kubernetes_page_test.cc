// The examples of docs/kubernetes.md do what the page says of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/packaging/chart.h"
#include "tests/packaging/kustomized.h"
#include "tests/packaging/objects.h"

namespace jettison {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

// The page's first example that has a text in it, without its fences.
std::string ExampleWith(const std::string& text) {
  const std::string page = FileText(std::string(JETTISON_SOURCE) + "/docs/kubernetes.md");
  const std::size_t at = page.find(text);
  EXPECT_NE(at, std::string::npos) << "no example has " << text;
  if (at == std::string::npos) return {};
  const std::size_t begin = page.find('\n', page.rfind("\n```", at) + 1) + 1;
  return page.substr(begin, page.find("\n```\n", at) + 1 - begin);
}

// "kubectl delete -k" deletes a namespace that is among the objects, with all that is in it.
TEST_F(Kustomization, ForAnExistingNamespaceHasNoNamespaceInIt) {
  const auto objects = KustomizedText(ExampleWith("\nnamespace: monitoring\n"));
  ASSERT_THAT(objects, Contains(Key("DaemonSet jettison")));
  for (const auto& [name, object] : objects) {
    EXPECT_THAT(name, Not(HasSubstr("Namespace "))) << name;
    EXPECT_THAT(Canonical(object), Not(HasSubstr("jettison-system"))) << name;
  }
  for (const char* name : {"DaemonSet jettison", "ServiceAccount jettison", "ConfigMap jettison"}) {
    EXPECT_EQ(TextAt(objects.at(name), "metadata.namespace"), "monitoring") << name;
  }
  EXPECT_EQ(TextAt(objects.at("ClusterRoleBinding jettison"), "subjects.0.namespace"),
            "monitoring");
}

TEST_F(Kustomization, WithADropInOfOnesOwnChangesTheConfiguration) {
  const std::string drop_in = ExampleWith("kubernetes: {evictDaemonSets: true}");
  const auto objects = KustomizedText(ExampleWith("  files: [own.yaml]"), {{"own.yaml", drop_in}});
  EXPECT_EQ(DropInsOf(objects).at("own.yaml"), drop_in);
  const auto reading = Configuration(ConfigurationOf(objects), DropInsOf(objects));
  EXPECT_TRUE(reading.config.kubernetes.evict_daemon_sets);
  EXPECT_TRUE(reading.config.dry_run) << "the overlay's";
  EXPECT_THAT(Canonical(objects.at("DaemonSet jettison")),
              HasSubstr("configMap: {name: \"jettison-drop-ins\", }"));
}

// As the chart does.
TEST_F(Kustomization, ForAKubeletsFileElsewhereMountsItsFolder) {
  const auto objects =
      KustomizedText(ExampleWith("  files: [kubelet.yaml]"),
                     {{"kubelet.yaml", ExampleWith("kubernetes: {kubeletConfiguration: /etc/")}});
  const std::string file = Configuration(ConfigurationOf(objects), DropInsOf(objects))
                               .config.kubernetes.kubelet_configuration;
  EXPECT_EQ(file, "/etc/kubernetes/kubelet/config.json");
  const Chart chart(std::string(JETTISON_SOURCE) + "/packaging/kubernetes/chart",
                    "kubelet: {configuration: " + file + "}");
  const auto released = ByName(chart.Objects("jettison-system"));
  for (const char* list : {"containers.0.volumeMounts", "volumes"}) {
    const std::string path = std::string("spec.template.spec.") + list;
    std::set<std::string> ours;
    std::set<std::string> charts;
    for (const Value& each : *At(objects.at("DaemonSet jettison"), path)->AsList()) {
      ours.insert(Canonical(each));
    }
    for (const Value& each : *At(released.at("DaemonSet jettison"), path)->AsList()) {
      charts.insert(Canonical(each));
    }
    EXPECT_EQ(ours, charts);
  }
}

TEST_F(Kustomization, WithTheLabelOfAPrometheusLabelsAllThatItLooksFor) {
  const auto objects = KustomizedText(
      "resources: [../packaging/kubernetes/overlays/shadow]\n"
      "components: [../packaging/kubernetes/components/metrics]\n" +
      ExampleWith("target: {group: monitoring.coreos.com}"));
  for (const char* name : {"PodMonitor jettison", "PrometheusRule jettison"}) {
    EXPECT_EQ(TextAt(objects.at(name), "metadata.labels.release"), "monitoring") << name;
  }
}

TEST(KubernetesPage, ValuesOfTheChartMeanWhatTheDropInsMean) {
  const Chart chart(std::string(JETTISON_SOURCE) + "/packaging/kubernetes/chart",
                    ExampleWith("configuration: {logLevel: debug}"));
  EXPECT_THAT(chart.Refused(), IsEmpty());
  const auto objects = ByName(chart.Objects("x"));
  const auto config = Configuration(ConfigurationOf(objects), DropInsOf(objects)).config;
  EXPECT_TRUE(config.kubernetes.evict_daemon_sets);
  EXPECT_EQ(config.log_level, LogLevel::kDebug);
  EXPECT_EQ(std::get<Quantity>(config.eviction.thresholds.at(0).value).ToString(), "1Gi");
}

// The agent of a node that is unreachable never ends.
TEST(KubernetesPage, RemovalEndsAndNamesEachDaemonSetOfThePage) {
  const std::string removal = ExampleWith("sudo rm -rf /var/lib/jettison");
  std::istringstream lines(removal);
  int deletions = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("kubectl") == std::string::npos) continue;
    EXPECT_THAT(line, HasSubstr(" delete "));
    EXPECT_THAT(line, HasSubstr(" --timeout=2m"));
    ++deletions;
  }
  EXPECT_EQ(deletions, 2);
  const std::string partial = ExampleWith("  options: {allowNameChange: true}");
  std::smatch name;
  ASSERT_TRUE(
      std::regex_search(partial, name, std::regex("path: /metadata/name, value: ([a-z-]+)\\}")));
  EXPECT_THAT(removal, HasSubstr(" delete daemonset jettison " + name[1].str() + " "));
}

}  // namespace
}  // namespace jettison
