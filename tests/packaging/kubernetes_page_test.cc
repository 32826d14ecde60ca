// The examples of docs/kubernetes.md do what the page says of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "tests/packaging/kustomized.h"
#include "tests/packaging/objects.h"

namespace jettison {
namespace {

using testing::Contains;
using testing::HasSubstr;
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

TEST_F(Kustomization, WithTheLabelOfAPrometheusLabelsAllThatItLooksFor) {
  const auto objects = KustomizedText(
      "resources: [../packaging/kubernetes/overlays/shadow]\n"
      "components: [../packaging/kubernetes/components/metrics]\n" +
      ExampleWith("target: {group: monitoring.coreos.com}"));
  for (const char* name : {"PodMonitor jettison", "PrometheusRule jettison"}) {
    EXPECT_EQ(TextAt(objects.at(name), "metadata.labels.release"), "monitoring") << name;
  }
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
