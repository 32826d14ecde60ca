// The objects for a cluster agree with the program, and with each other.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "core/config/read_config.h"
#include "sources/kubernetes/calls/rights.h"
#include "tests/live/program.h"
#include "tests/packaging/chart.h"
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
const std::string kNamespace = "jettison-system";

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

// Reads a configuration, which must have no fault.
ConfigReading Configuration(const std::string& text) {
  const auto documents = Documents(text, "jettison.yaml");
  if (documents.size() != 1) return {};
  ConfigReading reading = ReadConfig({{.file = "jettison.yaml", .document = documents[0]}});
  EXPECT_THAT(reading.faults, IsEmpty()) << DescribeAll(reading.faults);
  return reading;
}

// The objects of a kustomization. What it was named after its content has that name no more.
std::map<std::string, Value> Kustomized(const std::string& folder) {
  Program kubectl({"/bin/sh", "-c", fmt::format("{} kustomize '{}'", JETTISON_KUBECTL, folder)},
                  {});
  EXPECT_EQ(kubectl.Wait(), 0) << kubectl.output();
  const std::string plain = std::regex_replace(
      kubectl.output(), std::regex("name: (jettison(-images)?)-[a-z0-9]{10}\n"), "name: $1\n");
  return ByName(Documents(plain, folder));
}

// The member's name has a dot in it, which paths cannot say.
std::string ConfigurationOf(const std::map<std::string, Value>& objects) {
  const Value* text = objects.at("ConfigMap jettison").Find("data")->Find("jettison.yaml");
  return text == nullptr || text->AsString() == nullptr ? std::string() : *text->AsString();
}

class Kustomization : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(JETTISON_KUBECTL).empty()) GTEST_SKIP() << "no kubectl";
    Program version({"/bin/sh", "-c", std::string(JETTISON_KUBECTL) + " version --client"}, {});
    (void)version.Wait();
    // Those before 1.21 have a kustomize that knows no components.
    if (!std::regex_search(version.output(),
                           std::regex("Kustomize Version: v([4-9]|[1-9][0-9])"))) {
      GTEST_SKIP() << "this kubectl is too old: " << version.output();
    }
  }
};

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
    EXPECT_EQ(right.group, "");
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
  EXPECT_EQ(Canonical(*At(rule, "spec")), Canonical(rules));
}

TEST(KubernetesObjects, TheVersionIsThatOfTheProject) {
  std::smatch version;
  const std::string project = FileText(kSource + "/CMakeLists.txt");
  ASSERT_TRUE(std::regex_search(project, version, std::regex("VERSION ([0-9.]+) LANGUAGES")));
  const auto chart = DocumentsIn("chart/Chart.yaml").at(0);
  EXPECT_EQ(TextAt(chart, "version"), version[1]);
  EXPECT_EQ(TextAt(chart, "appVersion"), version[1]);
  EXPECT_EQ(
      TextAt(DocumentsIn("base/daemonset.yaml").at(0), "spec.template.spec.containers.0.image"),
      fmt::format("jettison.local/jettison:{}", version[1].str()));
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

TEST_F(Kustomization, OfEachOverlayIsWhole) {
  for (const std::string overlay : {"shadow", "enforce"}) {
    const auto objects = Kustomized(kFolder + "/overlays/" + overlay);
    for (const char* name :
         {"Namespace jettison-system", "ServiceAccount jettison", "ClusterRole jettison",
          "ClusterRoleBinding jettison", "ConfigMap jettison", "DaemonSet jettison",
          "ValidatingAdmissionPolicy jettison-pods",
          "ValidatingAdmissionPolicyBinding jettison-pods",
          "ValidatingAdmissionPolicy jettison-nodes",
          "ValidatingAdmissionPolicyBinding jettison-nodes",
          "ValidatingAdmissionPolicy jettison-evictions",
          "ValidatingAdmissionPolicyBinding jettison-evictions"}) {
      EXPECT_THAT(objects, Contains(Key(name))) << overlay;
    }
    EXPECT_EQ(objects.size(), 12U) << overlay;
    EXPECT_EQ(Configuration(ConfigurationOf(objects)).config.dry_run, overlay == "shadow");
  }
}

TEST_F(Kustomization, OfComponentsAddsWhatTheySay) {
  const TemporaryFolder folder;
  // Kustomize takes relative paths alone.
  const auto base = std::filesystem::relative(kFolder, folder.path()).string();
  std::ofstream(folder.path() + "/kustomization.yaml") << fmt::format(
      "resources: [{0}/overlays/shadow]\n"
      "components: [{0}/components/metrics, {0}/components/configz]\n",
      base);
  const auto objects = Kustomized(folder.path());
  EXPECT_THAT(objects, Contains(Key("PodMonitor jettison")));
  EXPECT_THAT(objects, Contains(Key("PrometheusRule jettison")));
  EXPECT_THAT(RightsIn(objects.at("ClusterRole jettison-configz")),
              ElementsAre("get nodes/configz"));
  EXPECT_THAT(Canonical(objects.at("DaemonSet jettison")),
              HasSubstr("secretName: \"jettison-http\""));
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
  const TemporaryFolder folder;
  const auto base = std::filesystem::relative(kFolder, folder.path()).string();
  std::ofstream(folder.path() + "/kustomization.yaml")
      << fmt::format("resources: [{}/overlays/shadow]\nnamePrefix: my-\nnameSuffix: -x\n", base);
  const auto objects = Kustomized(folder.path());
  for (const std::string name :
       {"my-jettison-pods-x", "my-jettison-nodes-x", "my-jettison-evictions-x"}) {
    EXPECT_THAT(objects, Contains(Key("ValidatingAdmissionPolicy " + name)));
    const auto binding = objects.find("ValidatingAdmissionPolicyBinding " + name);
    ASSERT_NE(binding, objects.end()) << name;
    EXPECT_EQ(TextAt(binding->second, "spec.policyName"), name);
  }
}

TEST_F(Kustomization, OfImagesMountsTheRuntimesSocketAndSetsTheOption) {
  const TemporaryFolder folder;
  const auto base = std::filesystem::relative(kFolder, folder.path()).string();
  std::ofstream(folder.path() + "/kustomization.yaml") << fmt::format(
      "resources: [{0}/overlays/shadow]\ncomponents: [{0}/components/images]\n", base);
  const auto objects = Kustomized(folder.path());
  const std::string agent = Canonical(objects.at("DaemonSet jettison"));
  EXPECT_THAT(agent, HasSubstr("\"--config-dir\", \"/etc/jettison-images\""));
  EXPECT_THAT(agent, HasSubstr("mountPath: \"/run/containerd\""));
  const Value* drop_in = objects.at("ConfigMap jettison-images").Find("data")->Find("images.yaml");
  ASSERT_NE(drop_in, nullptr);
  const auto reading = Configuration("source: kubernetes\n" + *drop_in->AsString());
  EXPECT_TRUE(reading.config.kubernetes.collect_images);
}

// A chart whose values are left alone makes the objects of the overlay, but for the namespace.
TEST_F(Kustomization, OfShadowIsWhatTheChartMakes) {
  auto overlay = Kustomized(kFolder + "/overlays/shadow");
  overlay.erase("Namespace jettison-system");
  auto chart = ByName(Chart(kFolder + "/chart", {}).Objects(kNamespace));
  // That has its own words for the same configuration, as below.
  for (auto* objects : {&overlay, &chart}) objects->erase("ConfigMap jettison");
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
      Configuration(ConfigurationOf(ByName(Chart(kFolder + "/chart", {}).Objects("x"))));
  const auto shadow = Configuration(FileText(kFolder + "/overlays/shadow/jettison.yaml"));
  EXPECT_TRUE(plain.config.dry_run);
  EXPECT_EQ(plain.config.kubernetes.kubelet_configuration,
            shadow.config.kubernetes.kubelet_configuration);
  const auto changed = ByName(Chart(kFolder + "/chart", {{"dryRun", "false"},
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
