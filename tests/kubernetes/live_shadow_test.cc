// A dry run beside a real kubelet that evicts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "http/client/client.h"
#include "tests/kubernetes/live_control_plane.h"
#include "tests/live/program.h"

namespace jettison::kube {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class LiveShadowBesideKubelet : public testing::Test {
 protected:
  void SetUp() override {
    if (!plane_.missing().empty()) GTEST_SKIP() << plane_.missing();
  }
  void Start() {
    std::ofstream(plane_.Path("agent.yaml")) << fmt::format(
        "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\nsource: kubernetes\n"
        "nodeName: bed\ndryRun: true\nmonitoringInterval: 1s\nroot: {0}/agent\nhttp: {{socket: "
        "{0}/agent.sock}}\n"
        "kubernetes: {{kubeconfig: {0}/agent.kubeconfig, kubeletDirectory: {0}/kubelet, "
        "kubeletConfiguration: {0}/conf/kubelet.yaml}}\n",
        plane_.folder());
    agent_ = std::make_unique<Program>(
        std::vector<std::string>{JETTISON_BINARY, "run", "--config", plane_.Path("agent.yaml")},
        std::vector<std::string>{});
    ASSERT_TRUE(agent_->ReadUntil("agent is ready")) << agent_->output();
  }
  [[nodiscard]] std::string AskAgent(const std::string& path) const {
    const auto answer = HttpGet({.endpoint = "unix://" + plane_.Path("agent.sock")}, path);
    return answer ? answer->body : answer.error().message;
  }
  // The first pairing of both sides; null where there is none in time.
  [[nodiscard]] nlohmann::json Pairing() const {
    nlohmann::json found;
    (void)Until([&] {
      const auto view = nlohmann::json::parse(AskAgent("/api/v1/shadow"), nullptr, false);
      if (view.is_object() && !view["pairings"].empty()) found = view["pairings"][0];
      return !found.is_null();
    });
    return found;
  }

  // Volumes are measured more often than each minute, but later than by the agent.
  LiveControlPlane plane_{"volumeStatsAggPeriod: 15s\n"};
  std::unique_ptr<Program> agent_;
};

TEST_F(LiveShadowBesideKubelet, WhatTheKubeletEvictsIsComparedAndNothingIsTouched) {
  Start();
  ASSERT_EQ(plane_.Apply(kWriterBeyondItsVolume).status, 0);
  const nlohmann::json pairing = Pairing();
  ASSERT_TRUE(pairing.is_object()) << AskAgent("/api/v1/shadow") << agent_->output();
  EXPECT_THAT(pairing["verdict"], AnyOf("agreed", "late"));
  EXPECT_EQ(pairing["ours"]["name"], "writer");
  EXPECT_EQ(pairing["kubelets"]["name"], "writer");
  EXPECT_THAT(AskAgent("/metrics"),
              AnyOf(HasSubstr("\njettison_shadow_agreements_total 1\n"),
                    HasSubstr("\njettison_shadow_disagreements_total{kind=\"late\"} 1\n")));
  // The kubelet alone has evicted it: the agent would have deleted it.
  const std::string pod = plane_.Kubectl("get pod writer -o json").output;
  const auto status = nlohmann::json::parse(pod)["status"];
  EXPECT_EQ(status["phase"], "Failed");
  EXPECT_EQ(status["reason"], "Evicted");
  agent_->Signal(SIGTERM);
  EXPECT_EQ(agent_->Wait(), 0);
}

}  // namespace
}  // namespace jettison::kube
