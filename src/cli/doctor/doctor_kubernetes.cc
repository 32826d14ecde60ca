#include "cli/doctor/doctor_kubernetes.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "cli/doctor/doctor_kubelet.h"
#include "machine/loop/steady_clock.h"
#include "sources/kubernetes/calls/node_calls.h"
#include "sources/kubernetes/calls/rights.h"
#include "sources/kubernetes/client/api_client.h"
#include "sources/kubernetes/credentials/api_access.h"

namespace jettison {
namespace {

constexpr const char* kServer = "API server";
constexpr const char* kNode = "node";
constexpr auto kPatience = std::chrono::seconds(5);

HostCheck MissingCluster(std::string found, std::string remedy) {
  return {.check = kServer,
          .status = HostStatus::kMissing,
          .found = std::move(found),
          .cost = "the agent can read nothing from the cluster and change nothing in it",
          .remedy = std::move(remedy)};
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
  const bool is_gone = outcome.result == kube::CallResult::kGone;
  return {.check = kNode,
          .status = is_gone ? HostStatus::kMissing : HostStatus::kDegraded,
          .found = node.error().message,
          .cost = is_gone ? "no pod is found on it"
                          : "it is not known whether the cluster has this node",
          .remedy = is_gone ? "use the name that `kubectl get nodes` shows"
                            : "give the agent the right to get nodes"};
}

// Without these two nothing is known of the pods.
bool IsVital(const kube::Right& right) {
  return right.resource == "pods" && (right.verb == "list" || right.verb == "watch");
}

HostCheck RightCheck(kube::ApiClient& client, const kube::Right& right) {
  const std::string name = "right to " + kube::Describe(right);
  const auto allowed = kube::ReadRight(kube::AskNow(client, kube::AskRight(right), kPatience));
  if (allowed && *allowed) return OkCheck(name, "granted");
  if (!allowed) {
    return {.check = name,
            .status = HostStatus::kDegraded,
            .found = "no answer: " + allowed.error().message,
            .cost = "it is not known whether the agent has this right",
            .remedy = "ask again"};
  }
  return {.check = name,
          .status = IsVital(right) ? HostStatus::kMissing : HostStatus::kDegraded,
          .found = "not granted",
          .cost = std::string(right.cost),
          .remedy = "add to the agent's ClusterRole: " + kube::RuleFor(right)};
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
