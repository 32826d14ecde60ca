#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/ask/config_files.h"
#include "cli/doctor/doctor.h"
#include "core/config/read_config.h"
#include "core/model/threshold.h"
#include "core/thresholds/threshold_settings.h"
#include "machine/loop/steady_clock.h"
#include "sources/kubernetes/calls/call_complaints.h"
#include "sources/kubernetes/calls/object_calls.h"
#include "sources/kubernetes/client/api_client.h"
#include "sources/kubernetes/credentials/api_access.h"

namespace jettison {
namespace {

constexpr const char* kThresholdsCheck = "kubelet's thresholds";

// What an agent runs with that is told nothing but its source.
ConfigDocument OnlyTheSource() {
  const auto text = [](const char* word) { return Value(std::string(word)); };
  return {"", Value(Value::Map{{"apiVersion", text("jettison.io/v1alpha1")},
                               {"kind", text("JettisonConfiguration")},
                               {"source", text("kubernetes")}})};
}

constexpr const char* kServer = "API server";
constexpr const char* kNode = "node";
constexpr auto kPatience = std::chrono::seconds(5);

HostCheck MissingCluster(std::string found, std::string remedy) {
  return Missing(kServer, std::move(found),
                 "the agent can read nothing from the cluster and change nothing in it",
                 std::move(remedy));
}

std::string RemedyFor(const Error& error) {
  switch (error.code) {
    case ErrorCode::kPermissionDenied:
      return "check that the token has not expired and that certificate-authority is the server's";
    case ErrorCode::kDeadlineExceeded:
      return "find out why the API server, or the network to it, is slow";
    default: return "check that the server's address is correct and that the server is running";
  }
}

HostCheck NodeCheck(kube::ApiClient& client, const std::string& name) {
  const auto reply = kube::AskNow(client, kube::GetNode(name), kPatience);
  const kube::Outcome outcome = kube::OutcomeOf(reply);
  const auto node = outcome.ok() ? kube::ReadApiNode(reply->body)
                                 : Result<kube::ApiNode>(Fail(ErrorCode::kNotFound, outcome.why));
  if (node) {
    return OkCheck(kNode, fmt::format("{}, kubelet {}", name, node->kubelet_version));
  }
  if (outcome.result == kube::CallResult::kGone) {
    return Missing(kNode, node.error().message, "no pod is found on it",
                   "use the name that `kubectl get nodes` shows");
  }
  return Degraded(kNode, node.error().message, "it is not known whether the cluster has this node",
                  "give the agent the right to get nodes");
}

HostCheck RightCheck(kube::ApiClient& client, const kube::Right& right) {
  const std::string name = "right to " + kube::Describe(right);
  const auto allowed = kube::ReadRight(kube::AskNow(client, kube::AskRight(right), kPatience));
  if (allowed && *allowed) return OkCheck(name, "granted");
  if (!allowed) {
    return Degraded(name, "no answer: " + allowed.error().message,
                    "it is not known whether the agent has this right", "ask again");
  }
  HostCheck check = Degraded(name, "not granted", std::string(right.cost),
                             "add to the agent's ClusterRole: " + kube::RuleFor(right));
  // Without these two nothing is known of the pods.
  const bool is_vital = right.resource == "pods" && (right.verb == "list" || right.verb == "watch");
  if (is_vital) check.status = HostStatus::kMissing;
  return check;
}

// Whether the kubelet of the node tells its thresholds, and ours lie above them. Its configuration
// is read where the agent's says, else asked for through the API server.
HostCheck CheckKubeletThresholds(const ClusterQuestion& question) {
  std::vector<ConfigDocument> ours = ReadDocuments(question.config).documents;
  AgentConfig config = ReadConfig(ours).config;
  KubeletQuestion asked = QuestionOf(config);
  asked.kubeconfig = question.kubeconfig;
  asked.node = question.node;
  if (config.source != SourceKind::kKubernetes) ours = {OnlyTheSource()};
  const KubeletAnswer answer = AskKubelet(asked);
  if (!answer.side.document) {
    return Missing(
        kThresholdsCheck, answer.faults.empty() ? answer.side.why_not : DescribeAll(answer.faults),
        "the agent does not start unless evictionHard is set, because it does not guess thresholds",
        "set kubernetes.kubeletConfiguration to the kubelet's file, or give the agent the right to "
        "get nodes/configz");
  }
  const ConfigReading reading = ReadConfig(ours, answer.side);
  Faults faults = reading.faults;
  faults.insert(faults.end(), reading.not_above_kubelet.begin(), reading.not_above_kubelet.end());
  if (faults.empty()) {
    std::string shown;
    for (const Threshold& each : reading.config.eviction.thresholds) {
      shown += fmt::format("{}{} {}", shown.empty() ? "ours lie above them: " : ", ",
                           NameOf(each.signal), ThresholdText(each.value));
    }
    if (shown.empty()) shown = "none";
    return OkCheck(kThresholdsCheck, shown);
  }
  return Missing(
      kThresholdsCheck, DescribeAll(faults),
      "the agent does not start: the kubelet would evict first",
      "raise the agent's thresholds, or leave them out: they are then derived from the kubelet's");
}

}  // namespace

std::vector<HostCheck> KubernetesChecks(const ClusterQuestion& question) {
  std::vector<HostCheck> checks;
  const bool in_pod = question.kubeconfig.empty();
  const kube::AccessReading reading = in_pod ? kube::AccessByServiceAccount(question.account)
                                             : kube::AccessByKubeconfig(question.kubeconfig);
  for (const Fault& fault : reading.faults) {
    checks.push_back(MissingCluster(
        Describe(fault),
        in_pod ? "run doctor in the agent's pod, or name a kubeconfig with --kubeconfig"
               : "correct the kubeconfig"));
  }
  if (!reading.faults.empty()) return checks;
  const SteadyClock clock;
  const auto client = kube::ApiClient::Open(reading.access, clock);
  if (!client) return {MissingCluster(client.error().message, "install what is missing")};
  const auto version = kube::ReadVersion(kube::AskNow(**client, kube::GetVersion(), kPatience));
  if (!version) {
    return {MissingCluster(fmt::format("{}: {}", reading.access.server, version.error().message),
                           RemedyFor(version.error()))};
  }
  checks.push_back(OkCheck(kServer, fmt::format("{} at {}", *version, reading.access.server)));
  if (!question.node.empty()) {
    checks.push_back(NodeCheck(**client, question.node));
    checks.push_back(CheckKubeletThresholds(question));
  }
  for (const kube::Right& right : kube::NeededRights()) {
    checks.push_back(RightCheck(**client, right));
  }
  return checks;
}

}  // namespace jettison
