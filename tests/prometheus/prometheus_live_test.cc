// A real Prometheus scrapes a running agent over TCP and is asked for what it has found.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/units/duration.h"
#include "core/units/http_url.h"
#include "http/server/listen.h"
#include "tests/live/program.h"
#include "tests/live/scraped.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::IsEmpty;

// One that nobody listens on now.
std::uint16_t FreePort() {
  return http::PortOf(*http::ListenOn(*ParseTcpAddress("127.0.0.1:0")));
}

// A group of 256 MiB that is the agent's node.
class NodeGroup {
 public:
  explicit NodeGroup(std::string name) : name_(std::move(name)) {
    const bool v1 = fs::exists("/sys/fs/cgroup/memory");
    const fs::path group = fs::path("/sys/fs/cgroup") / (v1 ? "memory" : "") / name_;
    fs::create_directory(group);
    std::ofstream(group / (v1 ? "memory.limit_in_bytes" : "memory.max")) << (256 << 20);
  }
  NodeGroup(const NodeGroup&) = delete;
  NodeGroup& operator=(const NodeGroup&) = delete;
  ~NodeGroup() {
    for (const std::string& group : CgroupsNamed(name_)) Remove(group);
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  static void Remove(const fs::path& group) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(group, ignored)) {
      if (entry.is_directory(ignored)) Remove(entry.path());
    }
    fs::remove(group, ignored);
  }
  std::string name_;
};

class LivePrometheus : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    if (std::string(JETTISON_PROMETHEUS).empty()) {
      GTEST_SKIP() << "no prometheus: scripts/install-deps.sh brings it";
    }
    group_ = std::make_unique<NodeGroup>(fs::path(folder_.path()).filename());
    fs::create_directory(folder_.path() + "/manifests");
    agent_port_ = FreePort();
    port_ = FreePort();
  }
  void TearDown() override {
    prometheus_.reset();
    agent_.reset();
    group_.reset();
    EXPECT_EQ(ProcessesLeft(), 0);
    EXPECT_THAT(CgroupsNamed(fs::path(folder_.path()).filename()), IsEmpty());
  }
  [[nodiscard]] std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  // An agent with a pod that does nothing, beside those whose manifests are there already.
  void StartAgent() {
    const std::string& folder = folder_.path();
    const std::string config =
        Write("config.yaml",
              fmt::format("apiVersion: kubelet.config.k8s.io/v1beta1\n"
                          "kind: KubeletConfiguration\n"
                          "staticPodPath: {0}/manifests\n"
                          "evictionHard: {{memory.available: 50Mi, nodefs.available: 1%}}\n"
                          "---\n"
                          "apiVersion: jettison.io/v1alpha1\n"
                          "kind: JettisonConfiguration\n"
                          "root: {0}/root\n"
                          "nodeName: scraped\n"
                          "nodeCgroup: /{1}\n"
                          "monitoringInterval: 1s\n"
                          "http: {{socket: {0}/jettison.sock, address: '127.0.0.1:{2}'}}\n",
                          folder, group_->name(), agent_port_));
    static_cast<void>(
        Write("manifests/idle.yaml",
              "apiVersion: v1\n"
              "kind: Pod\n"
              "metadata: {name: idle}\n"
              "spec: {containers: [{name: c, image: none, command: [sleep, inf]}]}\n"));
    agent_ = std::make_unique<Program>(
        std::vector<std::string>{JETTISON_BINARY, "run", "--stop-pods", "--config", config},
        std::vector<std::string>{});
    ASSERT_TRUE(agent_->ReadUntil("agent is ready")) << agent_->output();
  }
  void StartPrometheus() {
    const std::string config =
        Write("prometheus.yaml", fmt::format("global: {{scrape_interval: 1s}}\n"
                                             "scrape_configs:\n"
                                             "  - job_name: jettison\n"
                                             "    authorization:\n"
                                             "      credentials_file: "
                                             "/run/jettison/http-127.0.0.1:{0}.token\n"
                                             "    static_configs:\n"
                                             "      - targets: ['127.0.0.1:{0}']\n",
                                             agent_port_));
    prometheus_ = std::make_unique<Program>(
        std::vector<std::string>{JETTISON_PROMETHEUS, "--config.file=" + config,
                                 "--storage.tsdb.path=" + folder_.path() + "/data",
                                 fmt::format("--web.listen-address=127.0.0.1:{}", port_)},
        std::vector<std::string>{"GOMAXPROCS=1"});
    ASSERT_TRUE(prometheus_->ReadUntil("Server is ready")) << prometheus_->output();
  }
  [[nodiscard]] std::string Ask(const std::string& query) const {
    return SampleOf(fmt::format("http://127.0.0.1:{}", port_), query);
  }

  // Makes a recording of what Prometheus has, and returns its path.
  [[nodiscard]] std::string Import() const {
    std::string path = folder_.path() + "/imported.jtr";
    const std::string source = fmt::format("http://127.0.0.1:{}", port_);
    const std::string said =
        OutputOf({JETTISON_BINARY, "import", "prometheus", source, "--node", "scraped", "--from",
                  "5m", "--config", folder_.path() + "/config.yaml", "--out", path});
    EXPECT_THAT(said, testing::HasSubstr("the recording was imported from " + source));
    EXPECT_THAT(said, testing::Not(testing::HasSubstr("is missing")));
    return path;
  }
  TemporaryFolder folder_;
  std::unique_ptr<NodeGroup> group_;
  std::unique_ptr<Program> agent_;
  std::unique_ptr<Program> prometheus_;
  std::uint16_t agent_port_ = 0;
  std::uint16_t port_ = 0;
};

TEST_F(LivePrometheus, AQueryForASeriesOfARunningAgentIsAnswered) {
  ASSERT_NO_FATAL_FAILURE(StartAgent());
  ASSERT_NO_FATAL_FAILURE(StartPrometheus());
  EXPECT_EQ(Ask("up{job=\"jettison\"} == 1"), "1");
  EXPECT_EQ(Ask("jettison_signal_capacity{signal=\"memory.available\"}"), "268435456");
  EXPECT_EQ(Ask("jettison_threshold_amount{signal=\"memory.available\", kind=\"hard\"}"),
            "52428800");
  EXPECT_EQ(Ask("kubelet_node_name{node=\"scraped\"}"), "1");
  EXPECT_EQ(Ask("kubelet_evictions{eviction_signal=\"memory.available\"}"), "0");
  EXPECT_EQ(Ask("jettison_pod_processes{pod=\"idle\"} >= bool 1"), "1");
  EXPECT_EQ(Ask("process_resident_memory_bytes > bool 1e6"), "1");
  EXPECT_EQ(Ask("jettison_pass_duration_seconds_count{kind=\"full\"} > bool 0"), "1");
}

// What the recording has of the eviction of the leaking pod, and what is made of it.
void CheckRecording(const std::vector<nlohmann::json>& pods,
                    const std::vector<nlohmann::json>& passes) {
  std::string leak;
  for (const auto& pod : pods) {
    EXPECT_EQ(pod.value("source", "OWN"), "OWN");
    const auto manifest = nlohmann::json::parse(pod.at("manifest").get<std::string>());
    const auto& metadata = manifest.at("metadata");
    if (metadata.at("name") == "leak") leak = metadata.at("uid");
  }
  ASSERT_FALSE(leak.empty());
  ASSERT_GT(passes.size(), 5U);
  std::vector<std::string> evicted;
  std::uint64_t most = 0;
  for (const auto& pass : passes) {
    const auto& memory = pass.at("node").at("memory");
    EXPECT_EQ(
        NumberIn(memory.at("availableBytes")) + NumberIn(memory.value("workingSetBytes", "0")),
        std::uint64_t{256} << 20);
    for (const auto& figures : pass.value("figures", nlohmann::json::array())) {
      const auto& pod = figures.at("stats");
      ASSERT_TRUE(pod.contains("workingSetBytes")) << pass.dump();
      if (pod.at("uid") != leak) continue;
      most = std::max(most, NumberIn(pod.at("workingSetBytes")));
    }
    if (!pass.contains("report")) continue;
    for (const auto& eviction : pass.at("report").value("evictions", nlohmann::json::array())) {
      evicted.push_back(eviction.at("order").at("pod"));
    }
  }
  EXPECT_THAT(evicted, testing::Contains(leak));
  EXPECT_THAT(evicted, testing::Each(leak));
  EXPECT_GT(most, std::uint64_t{60} << 20);
}

TEST_F(LivePrometheus, WhatItHasOfAnEvictionBecomesARecordingThatCanBeSimulated) {
  ASSERT_NO_FATAL_FAILURE(StartPrometheus());
  static_cast<void>(
      Write("manifests/leak.yaml",
            fmt::format(
                "apiVersion: v1\n"
                "kind: Pod\n"
                "metadata: {{name: leak}}\n"
                "spec: {{priority: -5, containers: [{{name: c, image: none, resources: {{requests: "
                "{{memory: 16Mi}}}},\n"
                "  command: [{}, workload, leak, --rate, '12', --total, '230']}}]}}\n",
                JETTISON_BINARY)));
  ASSERT_NO_FATAL_FAILURE(StartAgent());
  ASSERT_EQ(Ask("jettison_pod_evictions_total{pod=\"leak\"} >= bool 1 == 1"), "1");
  ASSERT_EQ(Ask("kubelet_evictions{eviction_signal=\"memory.available\"} >= bool 1 == 1"), "1");
  // What the pod would have grown to is seen in the samples behind the eviction.
  ASSERT_EQ(Ask("sum_over_time((jettison_pod_evictions_total{pod=\"leak\"} >= bool 1)[1m:1s]) >= "
                "bool 5 == 1"),
            "1");
  const std::string live = Import();
  ASSERT_NO_FATAL_FAILURE(CheckRecording(ItemsOf(live, "pod"), ItemsOf(live, "pass")));
  const auto calibrated =
      nlohmann::json::parse(OutputOf({JETTISON_BINARY, "simulate", live, "--output", "json"}));
  // Found of the samples alone. Those are as old as the last pass, a second, and a second apart;
  // the model is sure of no more than a second itself.
  const auto& recording = calibrated.at("recordings").at(0);
  ASSERT_EQ(recording.at("evictions").size(), 1U) << recording;
  ASSERT_EQ(recording.at("foretold").size(), 1U) << recording;
  EXPECT_EQ(recording.at("foretold").at(0).at("pod"), "default/leak");
  const auto was = ParseInstant(recording.at("evictions").at(0).at("at").get<std::string>());
  const auto said = ParseInstant(recording.at("foretold").at(0).at("at").get<std::string>());
  EXPECT_LE(std::chrono::abs(Elapsed(was.value(), said.value())), seconds(3)) << recording;
  EXPECT_THAT(OutputOf({JETTISON_BINARY, "simulate", live, "--sweep",
                        "evictionHard.memory.available=30Mi..90Mi/3"}),
              testing::HasSubstr("default/leak"));
}

}  // namespace
}  // namespace jettison
