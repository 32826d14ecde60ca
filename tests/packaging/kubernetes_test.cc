// The objects for a cluster agree with the program, and with each other.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sources/kubernetes/calls/call_complaints.h"
#include "tests/packaging/objects.h"

namespace jettison {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

const std::string kSource = JETTISON_SOURCE;
const std::string kFolder = kSource + "/packaging/kubernetes";

std::vector<Value> DocumentsIn(const std::string& file) {
  return Documents(FileText(kFolder + "/" + file), file);
}

// "patch nodes/status", each rule taken apart.
std::multiset<std::string> RightsIn(const Value& role) {
  std::multiset<std::string> rights;
  for (const Value& rule : *At(role, "rules")->AsList()) {
    EXPECT_THAT(TextsAt(rule, "apiGroups"), ElementsAre(""));
    for (const std::string& resource : TextsAt(rule, "resources")) {
      for (const std::string& verb : TextsAt(rule, "verbs")) rights.insert(verb + " " + resource);
    }
  }
  return rights;
}

TEST(KubernetesObjects, EveryFileCanBeRead) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    const std::string path = entry.path();
    if (!path.ends_with(".yaml") || path.find("/templates/") != std::string::npos) continue;
    EXPECT_THAT(Documents(FileText(path), path), Not(IsEmpty())) << path;
    ++files;
  }
  EXPECT_GT(files, 15);
}

TEST(KubernetesObjects, TheRoleIsWhatTheProgramAsksForAndNothingElse) {
  std::multiset<std::string> needed;
  for (const kube::Right& right : kube::NeededRights()) {
    needed.insert(kube::Describe(right));
  }
  EXPECT_EQ(RightsIn(DocumentsIn("base/rbac.yaml").at(0)), needed);
}

TEST(KubernetesObjects, ConfigurationsAreValidAndDifferInDryRunAlone) {
  const std::string shadow = FileText(kFolder + "/overlays/shadow/jettison.yaml");
  const std::string enforce = FileText(kFolder + "/overlays/enforce/jettison.yaml");
  EXPECT_TRUE(Configuration(shadow).config.dry_run);
  EXPECT_FALSE(Configuration(enforce).config.dry_run);
  const std::regex remark("#.*\n");
  EXPECT_EQ(std::regex_replace(std::regex_replace(shadow, remark, "\n"), std::regex("dryRun: true"),
                               "dryRun: false"),
            std::regex_replace(enforce, remark, "\n"));
}

TEST(KubernetesObjects, TheConfigurationForMetricsIsValid) {
  std::string text = FileText(kFolder + "/overlays/shadow/jettison.yaml");
  const std::size_t remark = text.find("  # With components/metrics:\n");
  ASSERT_NE(remark, std::string::npos);
  text = text.substr(0, remark) +
         std::regex_replace(text.substr(remark), std::regex("  # ([a-z][A-Za-z]+: )"), "  $1");
  const auto reading = Configuration(text);
  EXPECT_EQ(reading.config.http.address, "[::]:10350") << "over IPv4 and IPv6";
  EXPECT_EQ(reading.config.http.bearer_token_file, "/etc/jettison-http/token");
}

TEST(KubernetesObjects, AlertsAreThoseOfPrometheus) {
  const auto rule = DocumentsIn("components/metrics/alerts.yaml").at(0);
  const auto rules = DocumentsIn("../prometheus/jettison-alerts.yaml").at(0);
  EXPECT_EQ(Json(*At(rule, "spec")), Json(rules));
}

TEST(KubernetesObjects, NothingIsMountedThatNoVolumeIs) {
  const auto daemon_set = DocumentsIn("base/daemonset.yaml").at(0);
  std::set<std::string> volumes;
  std::set<std::string> mounts;
  for (const Value& each : *At(daemon_set, "spec.template.spec.volumes")->AsList()) {
    volumes.insert(TextAt(each, "name"));
  }
  const Value* container = At(daemon_set, "spec.template.spec.containers.0");
  for (const Value& each : *At(*container, "volumeMounts")->AsList()) {
    mounts.insert(TextAt(each, "name"));
    // What the agent looks at lies where the host has it, or its figures name folders that are not
    // there.
    const std::string path = TextAt(each, "mountPath");
    for (const Value& volume : *At(daemon_set, "spec.template.spec.volumes")->AsList()) {
      if (TextAt(volume, "name") != TextAt(each, "name") || At(volume, "hostPath") == nullptr)
        continue;
      EXPECT_EQ(TextAt(volume, "hostPath.path"), path);
    }
  }
  EXPECT_EQ(volumes, mounts);
}

// Otherwise a cluster that limits who may use the class admits no agent.
TEST(KubernetesObjects, TheQuotaAdmitsTheClassOfTheAgents) {
  const auto quota = DocumentsIn("base/resource-quota.yaml").at(0);
  const Value& scope = At(quota, "spec.scopeSelector.matchExpressions")->AsList()->at(0);
  EXPECT_EQ(TextAt(scope, "scopeName"), "PriorityClass");
  EXPECT_EQ(TextAt(scope, "operator"), "In");
  EXPECT_THAT(TextsAt(scope, "values"),
              ElementsAre(TextAt(DocumentsIn("base/daemonset.yaml").at(0),
                                 "spec.template.spec.priorityClassName")));
  EXPECT_EQ(TextAt(quota, "spec.hard.pods"), "1G");
}

TEST_F(Kustomization, OfEachOverlayIsWhole) {
  for (const std::string overlay : {"shadow", "enforce"}) {
    const auto objects = Kustomized(kFolder + "/overlays/" + overlay);
    for (const char* name :
         {"Namespace jettison-system", "ResourceQuota jettison", "ServiceAccount jettison",
          "ClusterRole jettison", "ClusterRoleBinding jettison", "ConfigMap jettison",
          "ConfigMap jettison-drop-ins", "DaemonSet jettison",
          "ValidatingAdmissionPolicy jettison-pods",
          "ValidatingAdmissionPolicyBinding jettison-pods",
          "ValidatingAdmissionPolicy jettison-nodes",
          "ValidatingAdmissionPolicyBinding jettison-nodes",
          "ValidatingAdmissionPolicy jettison-evictions",
          "ValidatingAdmissionPolicyBinding jettison-evictions"}) {
      EXPECT_THAT(objects, Contains(Key(name))) << overlay;
    }
    EXPECT_THAT(DropInsOf(objects), IsEmpty());
    EXPECT_EQ(objects.size(), 14U) << overlay;
    EXPECT_EQ(Configuration(ConfigurationOf(objects)).config.dry_run, overlay == "shadow");
  }
}

TEST_F(Kustomization, OfComponentsAddsWhatTheySay) {
  const auto objects = KustomizedText(
      "resources: [../packaging/kubernetes/overlays/shadow]\n"
      "components:\n"
      "- ../packaging/kubernetes/components/metrics\n"
      "- ../packaging/kubernetes/components/configz\n");
  EXPECT_THAT(objects, Contains(Key("PodMonitor jettison")));
  EXPECT_THAT(objects, Contains(Key("PrometheusRule jettison")));
  EXPECT_THAT(RightsIn(objects.at("ClusterRole jettison-configz")),
              ElementsAre("get nodes/configz"));
  EXPECT_THAT(Json(objects.at("DaemonSet jettison")),
              HasSubstr(R"("secretName": "jettison-http")"));
}

// A kubectl before 1.32 does not know it. A binding that names no policy enforces nothing, and
// nobody says so.
TEST(KubernetesObjects, KustomizeIsToldThatABindingNamesItsPolicy) {
  const Value base = DocumentsIn("base/kustomization.yaml").at(0);
  ASSERT_THAT(TextsAt(base, "configurations"), ElementsAre("name-references.yaml"));
  const Value references = DocumentsIn("base/name-references.yaml").at(0);
  const Value& reference = At(references, "nameReference")->AsList()->at(0);
  EXPECT_EQ(TextAt(reference, "group"), "admissionregistration.k8s.io");
  EXPECT_EQ(TextAt(reference, "kind"), "ValidatingAdmissionPolicy");
  const Value& field = At(reference, "fieldSpecs")->AsList()->at(0);
  EXPECT_EQ(TextAt(field, "kind"), "ValidatingAdmissionPolicyBinding");
  EXPECT_EQ(TextAt(field, "path"), "spec/policyName");
}

TEST_F(Kustomization, WithOtherNamesStillBindsTheAdmissionPolicies) {
  const auto objects = KustomizedText(
      "resources: [../packaging/kubernetes/overlays/shadow]\n"
      "namePrefix: my-\nnameSuffix: -x\n");
  for (const std::string name :
       {"my-jettison-pods-x", "my-jettison-nodes-x", "my-jettison-evictions-x"}) {
    EXPECT_THAT(objects, Contains(Key("ValidatingAdmissionPolicy " + name)));
    const auto binding = objects.find("ValidatingAdmissionPolicyBinding " + name);
    ASSERT_NE(binding, objects.end()) << name;
    EXPECT_EQ(TextAt(binding->second, "spec.policyName"), name);
  }
}

TEST_F(Kustomization, OfImagesMountsTheRuntimesSocketAndSetsTheOption) {
  const auto objects = KustomizedText(
      "resources: [../packaging/kubernetes/overlays/shadow]\n"
      "components: [../packaging/kubernetes/components/images]\n");
  const std::string agent = Json(objects.at("DaemonSet jettison"));
  EXPECT_THAT(agent, HasSubstr(R"("mountPath": "/run/containerd")"));
  EXPECT_THAT(ArgumentsOf(objects.at("DaemonSet jettison")),
              HasSubstr("--config-dir /etc/jettison/conf.d"));
  EXPECT_THAT(agent, HasSubstr(R"("mountPath": "/etc/jettison/conf.d", "name": "drop-ins")"));
  EXPECT_THAT(agent,
              HasSubstr(R"({"configMap": {"name": "jettison-drop-ins"}, "name": "drop-ins")"));
  EXPECT_TRUE(
      Configuration(ConfigurationOf(objects), DropInsOf(objects)).config.kubernetes.collect_images);
}

// The examples of docs/kubernetes.md do what the page says of them.

// The page's first example that has a text in it, without its fences.
std::string ExampleWith(const std::string& text) {
  const std::string page = FileText(kSource + "/docs/kubernetes.md");
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
    EXPECT_THAT(Json(object), Not(HasSubstr("jettison-system"))) << name;
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
  EXPECT_THAT(Json(objects.at("DaemonSet jettison")),
              HasSubstr(R"("configMap": {"name": "jettison-drop-ins"})"));
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
