// The Helm chart makes what the kustomizations make, and what its values say.
#include "tests/packaging/chart.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/packaging/objects.h"

namespace jettison {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

using Objects = std::map<std::string, Value>;

const std::string kKubernetes = std::string(JETTISON_SOURCE) + "/packaging/kubernetes";
const std::string kNamespace = "jettison-system";

// The objects of the chart with values.
Objects Released(const std::string& values) {
  return ByName(Chart(kKubernetes + "/chart", values).Objects(kNamespace));
}

// What the agent makes of it, with its drop-ins.
AgentConfig ConfigOf(const Objects& objects) {
  return Configuration(ConfigurationOf(objects), DropInsOf(objects)).config;
}

// What is mounted where, "name path" each.
std::vector<std::string> VolumeMountsOf(const Objects& objects) {
  std::vector<std::string> mounts;
  const Value& daemon_set = objects.at("DaemonSet jettison");
  const Value* list = At(daemon_set, "spec.template.spec.containers.0.volumeMounts");
  for (const Value& mount : *list->AsList()) {
    mounts.push_back(TextAt(mount, "name") + " " + TextAt(mount, "mountPath"));
  }
  return mounts;
}

// A chart whose values are left alone makes the objects of the overlay, but for the namespace.
TEST_F(Kustomization, OfShadowIsWhatTheChartMakes) {
  auto overlay = Kustomized(kKubernetes + "/overlays/shadow");
  overlay.erase("Namespace jettison-system");
  auto chart = Released("{}");
  // That has its own words for the same configuration, as below.
  for (auto* objects : {&overlay, &chart}) objects->erase("ConfigMap jettison");
  for (auto* objects : {&overlay, &chart}) {
    EXPECT_TRUE(DropInsOf(*objects).empty());
    objects->erase("ConfigMap jettison-drop-ins");
  }
  const std::regex checksum(R"("checksum/configuration": "checksum", )");
  for (const auto& [name, object] : overlay) {
    ASSERT_THAT(chart, Contains(Key(name)));
    EXPECT_EQ(std::regex_replace(Json(chart.at(name)), checksum, ""), Json(object)) << name;
  }
  EXPECT_EQ(chart.size(), overlay.size());
}

// The mounts and the option are those of the component.
TEST_F(Kustomization, OfImagesIsWhatTheChartMakes) {
  const auto component = KustomizedText(
      "resources: [../packaging/kubernetes/overlays/shadow]\n"
      "components: [../packaging/kubernetes/components/images]\n");
  const auto chart = Released("images: {enabled: true}");
  EXPECT_THAT(VolumeMountsOf(chart), testing::UnorderedElementsAreArray(VolumeMountsOf(component)));
  EXPECT_THAT(Json(chart.at("DaemonSet jettison")),
              HasSubstr(R"({"hostPath": {"path": "/run/containerd", "type": "Directory"})"));
  EXPECT_TRUE(ConfigOf(chart).kubernetes.collect_images);
  EXPECT_FALSE(ConfigOf(Released("{}")).kubernetes.collect_images);
}

TEST(Chart, MeansWhatItsValuesSay) {
  const auto plain = ConfigOf(Released("{}"));
  const auto shadow =
      Configuration(FileText(kKubernetes + "/overlays/shadow/jettison.yaml")).config;
  EXPECT_TRUE(plain.dry_run);
  EXPECT_EQ(plain.kubernetes.kubelet_configuration, shadow.kubernetes.kubelet_configuration);
  const auto changed = Released(
      "dryRun: false\nkubelet: {configuration: '', jobs: terminate}\nmetrics: {enabled: true}\n");
  const auto config = ConfigOf(changed);
  EXPECT_FALSE(config.dry_run);
  EXPECT_EQ(config.kubernetes.kubelet_configuration, "");
  EXPECT_EQ(config.kubernetes.jobs, JobEnding::kTerminate);
  EXPECT_EQ(config.http.address, "[::]:10350") << "over IPv4 and IPv6";
  EXPECT_THAT(changed, Contains(Key("ClusterRole jettison-configz")));
  EXPECT_THAT(changed, Contains(Key("PodMonitor jettison")));
}

TEST(Chart, TakesAnImageAndNodesOfOnesOwn) {
  const auto spec = [](const std::string& values) {
    return *At(Released(values).at("DaemonSet jettison"), "spec.template.spec");
  };
  EXPECT_EQ(TextAt(spec("image: {repository: r.example/j, tag: '2'}"), "containers.0.image"),
            "r.example/j:2");
  EXPECT_EQ(Json(*At(spec("nodeSelector: {jettison: enforce}"), "nodeSelector")),
            R"({"jettison": "enforce", "kubernetes.io/os": "linux"})");
}

TEST(Chart, MountsTheFolderOfAKubeletsFileThatLiesElsewhere) {
  const std::string mount = "kubelet-configuration /etc/kubernetes/kubelet";
  const auto elsewhere = Released("kubelet: {configuration: /etc/kubernetes/kubelet/config.json}");
  EXPECT_EQ(ConfigOf(elsewhere).kubernetes.kubelet_configuration,
            "/etc/kubernetes/kubelet/config.json");
  EXPECT_THAT(VolumeMountsOf(elsewhere), Contains(mount));
  EXPECT_THAT(Json(elsewhere.at("DaemonSet jettison")),
              HasSubstr(R"({"hostPath": {"path": "/etc/kubernetes/kubelet", "type": "Directory"}, )"
                        R"("name": "kubelet-configuration")"));
  EXPECT_THAT(
      Json(elsewhere.at("DaemonSet jettison")),
      HasSubstr(R"({"mountPath": "/etc/kubernetes/kubelet", "name": "kubelet-configuration", )"
                R"("readOnly": true})"));
  for (const char* other : {"{}", "kubelet: {configuration: ''}",
                            "kubelet: {configuration: /var/lib/kubelet/a/config.yaml}"}) {
    EXPECT_EQ(VolumeMountsOf(Released(other)).size(), VolumeMountsOf(elsewhere).size() - 1)
        << other;
  }
}

TEST(Chart, PutsFurtherSettingsAndThresholdsIntoDropIns) {
  const auto config = ConfigOf(
      Released("configuration: {logLevel: debug, kubernetes: {kubeletDirectory: /data/kubelet}}\n"
               "kubeletConfiguration:\n"
               "  evictionHard: {memory.available: 1Gi}\n"
               "  evictionMaxPodGracePeriod: 30\n"));
  EXPECT_EQ(config.log_level, LogLevel::kDebug);
  EXPECT_EQ(config.kubernetes.kubelet_directory, "/data/kubelet");
  EXPECT_TRUE(config.dry_run) << "of jettison.yaml";
  EXPECT_EQ(config.eviction.max_pod_grace_period_seconds, 30);
  ASSERT_THAT(config.eviction.thresholds, Not(IsEmpty()));
  EXPECT_EQ(std::get<Quantity>(config.eviction.thresholds.at(0).value).ToString(), "1Gi");
}

TEST(Chart, TakesZeroForZeroAndNullForTheDefault) {
  const AgentConfig unset = ConfigOf(Released("{}"));
  for (const char* none : {"0", "'0'", "0s"}) {
    const auto config =
        ConfigOf(Released(fmt::format("softEvictions: {{coolDown: {}, perHour: 1}}", none)));
    EXPECT_EQ(config.kubernetes.soft_eviction_cool_down, Duration::zero()) << none;
    EXPECT_EQ(config.kubernetes.soft_evictions_per_hour, 1);
  }
  const auto null = ConfigOf(Released("softEvictions: {coolDown: null, perHour: null}"));
  EXPECT_EQ(null.kubernetes.soft_eviction_cool_down, unset.kubernetes.soft_eviction_cool_down);
  EXPECT_EQ(null.kubernetes.soft_evictions_per_hour, unset.kubernetes.soft_evictions_per_hour);
  // The agent has no such limit, and does not take it for the default.
  EXPECT_THAT(ConfigurationOf(Released("softEvictions: {perHour: 0}")),
              HasSubstr("softEvictionsPerHour: 0\n"));
}

TEST(Chart, LabelsWhatAPrometheusLooksFor) {
  const auto objects = Released("metrics: {enabled: true, labels: {release: monitoring}}");
  for (const char* name : {"PodMonitor jettison", "PrometheusRule jettison"}) {
    EXPECT_EQ(TextAt(objects.at(name), "metadata.labels.release"), "monitoring") << name;
  }
  EXPECT_EQ(At(Released("metrics: {enabled: true}").at("PodMonitor jettison"), "metadata.labels"),
            nullptr);
}

TEST(Chart, HasTheAlertsOfTheComponentAndNamesItsNamespaceInThem) {
  const std::string text = FileText(kKubernetes + "/components/metrics/alerts.yaml");
  const Value rule = Documents(std::regex_replace(text, std::regex(kNamespace), "x"), "").at(0);
  const auto chart = ByName(Chart(kKubernetes + "/chart", "metrics: {enabled: true}").Objects("x"));
  EXPECT_EQ(Json(chart.at("PrometheusRule jettison")), Json(rule));
}

// Where an object is not closed, a mistyped key would be taken.
TEST(Chart, HasASchemaThatNamesEachOfItsValues) {
  const Value schema = Documents(FileText(kKubernetes + "/chart/values.schema.json"), "").at(0);
  const Value values = Documents(FileText(kKubernetes + "/chart/values.yaml"), "").at(0);
  const auto check = [](const Value& rules, const Value& its, const std::string& path) {
    ASSERT_NE(rules.Find("additionalProperties"), nullptr) << path;
    EXPECT_EQ(Json(*rules.Find("additionalProperties")), "false") << path;
    for (const auto& [key, value] : *its.AsMap()) {
      EXPECT_NE(rules.Find("properties")->Find(key), nullptr) << path << "." << key;
    }
  };
  check(schema, values, "");
  for (const auto& [key, value] : *values.AsMap()) {
    if (value.AsMap() == nullptr || value.AsMap()->empty()) continue;
    check(*schema.Find("properties")->Find(key), value, key);
  }
}

}  // namespace
}  // namespace jettison
