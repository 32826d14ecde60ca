// What a real Prometheus has of a real kubelet becomes a recording: the kubelet's own metrics, and
// those of kube-state-metrics, which an exporter of the tests' own makes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/kubernetes/live_control_plane.h"
#include "tests/live/program.h"
#include "tests/live/scraped.h"

namespace jettison::kube {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

// It holds 64 MiB.
constexpr const char* kHolder =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: holder}\nspec:\n"
    "  hostNetwork: true\n  automountServiceAccountToken: false\n"
    "  containers: [{name: c, image: 'bed.local/app:1', args: [hog, '64'], resources: "
    "{requests: {memory: 48Mi}, limits: {memory: 256Mi}}}]\n";

class LiveImport : public testing::Test {
 protected:
  void SetUp() override {
    if (!plane_.missing().empty()) GTEST_SKIP() << plane_.missing();
    if (std::string(JETTISON_PROMETHEUS).empty()) {
      GTEST_SKIP() << "no prometheus: scripts/install-deps.sh brings it";
    }
    std::istringstream settings(RunShell("cat " + plane_.Path("settings")).output);
    for (std::string line; std::getline(settings, line);) {
      if (line.starts_with("BASEPORT=")) base_port_ = std::stoi(line.substr(9));
      if (line.starts_with("NODEIP=")) node_ip_ = line.substr(7);
    }
    ASSERT_GT(base_port_, 0);
    // Two of the bed's ten ports that it leaves free.
    exporter_ = std::make_unique<Program>(
        std::vector<std::string>{"/usr/bin/python3", JETTISON_STATE_EXPORTER, plane_.Path(""),
                                 std::to_string(base_port_ + 8)},
        std::vector<std::string>{});
    StartPrometheus();
  }

  void StartPrometheus() {
    const std::string job =
        "  - job_name: {0}\n"
        "    scheme: https\n"
        "    metrics_path: {1}\n"
        "    tls_config: {{ca_file: {2}pki/ca.crt, cert_file: {2}pki/admin.crt, key_file: "
        "{2}pki/admin.key}}\n"
        "    static_configs: [{{targets: ['{3}:{4}'], labels: {{node: bed}}}}]\n";
    std::string text = "global: {scrape_interval: 2s, scrape_timeout: 2s}\nscrape_configs:\n";
    for (const char* path : {"/metrics", "/metrics/resource", "/metrics/cadvisor"}) {
      text += fmt::format(fmt::runtime(job), "kubelet" + std::string(path), path, plane_.Path(""),
                          node_ip_, base_port_ + 6);
    }
    text += fmt::format(
        "  - job_name: kube-state-metrics\n"
        "    honor_labels: true\n"
        "    static_configs: [{{targets: ['127.0.0.1:{}']}}]\n",
        base_port_ + 8);
    std::ofstream(plane_.Path("prometheus.yaml")) << text;
    prometheus_ = std::make_unique<Program>(
        std::vector<std::string>{JETTISON_PROMETHEUS,
                                 "--config.file=" + plane_.Path("prometheus.yaml"),
                                 "--storage.tsdb.path=" + plane_.Path("prometheus"),
                                 fmt::format("--web.listen-address=127.0.0.1:{}", base_port_ + 9)},
        std::vector<std::string>{"GOMAXPROCS=1"});
    ASSERT_TRUE(prometheus_->ReadUntil("Server is ready")) << prometheus_->output();
  }
  [[nodiscard]] std::string prometheus() const {
    return fmt::format("http://127.0.0.1:{}", base_port_ + 9);
  }

  // Waits until a condition holds for some series.
  [[nodiscard]] testing::AssertionResult Has(const std::string& query) const {
    const std::string sample = SampleOf(prometheus(), query);
    if (!sample.starts_with("nothing")) return testing::AssertionSuccess();
    return testing::AssertionFailure() << query << ": " << sample;
  }

  LiveControlPlane plane_{"volumeStatsAggPeriod: 15s\n"};
  std::unique_ptr<Program> exporter_;
  std::unique_ptr<Program> prometheus_;
  int base_port_ = 0;
  std::string node_ip_;
};

TEST_F(LiveImport, WhatPrometheusHasOfAKubeletBecomesARecording) {
  // What was before the first figures of the node is in no recording.
  ASSERT_TRUE(Has("count_over_time(node_memory_working_set_bytes[1m]) > 1"));
  ASSERT_EQ(plane_.Apply(std::string(kHolder) + "---\n" + kWriterBeyondItsVolume).status, 0);
  ASSERT_TRUE(Has("kube_pod_status_reason{pod=\"writer\", reason=\"Evicted\"} == 1"));
  ASSERT_TRUE(Has("pod_memory_working_set_bytes{pod=\"holder\"} > 6e7"));
  ASSERT_TRUE(Has("count_over_time(node_memory_working_set_bytes[1m]) > 5"));

  const std::string recording = plane_.Path("bed.jtr");
  const std::string said =
      OutputOf({JETTISON_BINARY, "import", "prometheus", prometheus(), "--node", "bed", "--from",
                "5m", "--config", plane_.Path("conf/kubelet.yaml"), "--out", recording});
  EXPECT_THAT(said, HasSubstr("the recording was imported from"));
  EXPECT_THAT(said, Not(HasSubstr("kube_pod_info is missing")));
  EXPECT_THAT(said, Not(HasSubstr("kubelet_evictions did not grow")));

  std::string holder;
  std::string writer;
  for (const auto& item : ItemsOf(recording, "pod")) {
    const auto pod = nlohmann::json::parse(item.at("manifest").get<std::string>());
    const std::string name = pod.at("metadata").at("name");
    if (name == "writer") writer = pod.at("metadata").at("uid");
    if (name != "holder") continue;
    holder = pod.at("metadata").at("uid");
    const auto resources = pod.at("spec").at("containers").at(0).at("resources");
    EXPECT_EQ(resources.at("requests").at("memory"), "48Mi") << pod;
    EXPECT_EQ(resources.at("limits").at("memory"), "256Mi") << pod;
  }
  ASSERT_FALSE(holder.empty()) << said;
  ASSERT_FALSE(writer.empty()) << said;

  std::uint64_t most = 0;
  std::vector<std::string> evicted;
  for (const auto& pass : ItemsOf(recording, "pass")) {
    for (const auto& figures : pass.value("figures", nlohmann::json::array())) {
      const auto& pod = figures.at("stats");
      if (pod.at("uid") != holder || !pod.contains("workingSetBytes")) continue;
      most = std::max(most, NumberIn(pod.at("workingSetBytes")));
    }
    if (!pass.contains("report")) continue;
    for (const auto& eviction : pass.at("report").value("evictions", nlohmann::json::array())) {
      evicted.push_back(eviction.at("order").at("pod"));
    }
  }
  EXPECT_GT(most, std::uint64_t{60} << 20);
  EXPECT_LT(most, std::uint64_t{80} << 20);
  EXPECT_THAT(evicted, Contains(writer));
  EXPECT_THAT(evicted, Each(writer));
  EXPECT_THAT(OutputOf({JETTISON_BINARY, "simulate", recording, "--sweep",
                        "evictionHard.memory.available=100Mi..1Gi/3"}),
              HasSubstr("100Mi"));
}

}  // namespace
}  // namespace jettison::kube
