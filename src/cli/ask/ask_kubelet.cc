#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "cli/ask/config_files.h"
#include "codec/documents/documents.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "machine/loop/steady_clock.h"
#include "ports/clock.h"
#include "sources/kubernetes/calls/node_calls.h"
#include "sources/kubernetes/client/api_client.h"
#include "sources/kubernetes/credentials/api_access.h"
#include "sources/kubernetes/objects/api_node.h"

namespace jettison {
namespace {

constexpr Duration kLongestCall = std::chrono::seconds(5);
constexpr const char* kKind = "KubeletConfiguration";

KubeletAnswer Refusal(const std::string& file, std::string message) {
  KubeletAnswer answer;
  answer.faults.push_back({.file = file, .key = "", .value = "", .message = std::move(message)});
  return answer;
}

KubeletAnswer ReadFile(const std::string& file) {
  auto text = TextOf(file);
  if (!text) {
    KubeletAnswer answer;
    answer.side.why_not = fmt::format("{}: {}", file, text.error().message);
    answer.unread = true;
    return answer;
  }
  auto documents = ParseDocuments(*text, kUnlimitedMemory, Keys::kMayRepeat);
  if (!documents) {
    return Refusal(file, "the kubelet's configuration is faulty: " + documents.error().message);
  }
  if (documents->size() != 1 || !IsKubeletConfiguration(documents->front())) {
    return Refusal(
        file, fmt::format("must hold exactly one document, the kubelet's own, of kind {}", kKind));
  }
  KubeletAnswer answer;
  answer.warnings = LeaveLastKeys(file, documents->front());
  answer.side.document = ConfigDocument{file, std::move(documents->front())};
  answer.text = std::move(*text);
  return answer;
}

// In its answer there is no difference between none and the default, because a kubelet fills in
// the defaults before it answers: absent means none.
Value WithoutDefaults(const Value& told) {
  Value::Map members = *told.AsMap();
  if (told.Find("evictionHard") == nullptr) members.emplace_back("evictionHard", Value::Map{});
  return Value(std::move(members));
}

constexpr const char* kRemedy =
    "; set kubernetes.kubeletConfiguration to the kubelet's file, or give the agent the right to "
    "get nodes/configz";

bool MayPass(kube::CallResult result) {
  switch (result) {
    case kube::CallResult::kAway:
    case kube::CallResult::kBusy:
    case kube::CallResult::kUnauthenticated: return true;
    case kube::CallResult::kDone:
    case kube::CallResult::kGone:
    case kube::CallResult::kAnother:
    case kube::CallResult::kConflict:
    case kube::CallResult::kBudget:
    case kube::CallResult::kForbidden:
    case kube::CallResult::kRefused: break;
  }
  return false;
}

// An API server, and who asks it.
struct Cluster {
  const kube::ApiAccess& access;
  const Clock& clock;
  kube::ApiClient& server;
};

Error ErrorOf(const kube::Outcome& outcome, const std::string& whose) {
  const auto code =
      MayPass(outcome.result) ? ErrorCode::kUnavailable : ErrorCode::kPermissionDenied;
  return {code, whose + outcome.why};
}

// Of the kubelet itself. kUnavailable: it may answer later.
Result<kube::ApiReply> AskItself(const Cluster& cluster, const std::string& node,
                                 Duration timeout) {
  const auto reply = kube::AskNow(cluster.server, kube::GetNode(node), timeout);
  if (const kube::Outcome outcome = kube::OutcomeOf(reply); !outcome.ok()) {
    return Fail(ErrorOf(outcome, ""));
  }
  const auto known = kube::ReadApiNode(reply->body);
  if (!known) return Fail(known.error());
  kube::ApiAccess access = cluster.access;
  access.server = kube::KubeletUrlOf(*known);
  if (access.server.empty()) {
    return Fail(ErrorCode::kUnavailable, "the Node object does not say where its kubelet answers");
  }
  access.path_prefix.clear();
  access.server_name.clear();
  const auto kubelet = kube::ApiClient::Open(access, cluster.clock);
  if (!kubelet) return Fail(kubelet.error());
  auto answer = kube::AskNow(**kubelet, kube::GetOwnKubeletConfiguration(), timeout);
  if (const kube::Outcome outcome = kube::OutcomeOf(answer); !outcome.ok()) {
    return Fail(ErrorOf(outcome, access.server + ": "));
  }
  return answer;
}

KubeletAnswer Ask(const Cluster& cluster, const std::string& node) {
  const auto reply =
      kube::AskNow(cluster.server, kube::GetKubeletConfiguration(node), kLongestCall);
  const kube::Outcome outcome = kube::OutcomeOf(reply);
  if (outcome.ok()) return AnswerOf(reply->body, node);
  KubeletAnswer answer;
  answer.side.why_not = fmt::format("configz of node {}: {}", node, outcome.why);
  answer.unread = MayPass(outcome.result);
  if (outcome.result != kube::CallResult::kForbidden) return answer;
  const auto own = AskItself(cluster, node, kLongestCall);
  if (own) return AnswerOf(own->body, node);
  answer.side.why_not +=
      fmt::format("; from the kubelet itself: {}{}", own.error().message, kRemedy);
  answer.unread = own.error().code == ErrorCode::kUnavailable;
  return answer;
}

KubeletAnswer AskServer(const KubeletQuestion& question) {
  const kube::AccessReading reading = question.kubeconfig.empty()
                                          ? kube::AccessByServiceAccount(kube::OwnServiceAccount())
                                          : kube::AccessByKubeconfig(question.kubeconfig);
  KubeletAnswer answer;
  const SteadyClock clock;
  const auto client = reading.faults.empty()
                          ? kube::ApiClient::Open(reading.access, clock)
                          : Fail(ErrorCode::kInvalidArgument, DescribeAll(reading.faults));
  if (client) {
    return Ask({.access = reading.access, .clock = clock, .server = **client}, question.node);
  }
  answer.side.why_not =
      fmt::format("configz of node {}: {}", question.node, client.error().message);
  return answer;
}

}  // namespace

KubeletQuestion QuestionOf(const AgentConfig& config) {
  return {.file = config.kubernetes.kubelet_configuration,
          .usual_file = config.kubernetes.kubelet_directory + "/config.yaml",
          .kubeconfig = config.kubernetes.kubeconfig,
          .node = NodeNameOf(config)};
}

KubeletAnswer AnswerOf(const std::string& body, const std::string& node) {
  KubeletAnswer answer;
  const auto told = kube::ReadKubeletConfiguration(body);
  if (told) {
    answer.text = body;
    answer.side.document =
        ConfigDocument{fmt::format("configz of node {}", node), WithoutDefaults(*told)};
  } else {
    answer.side.why_not = told.error().message;
  }
  return answer;
}

KubeletAnswer AskKubelet(const KubeletQuestion& question, Ways ways) {
  const bool by_file = !question.file.empty();
  KubeletAnswer answer = by_file ? ReadFile(question.file) : AskServer(question);
  const bool has_other = ways == Ways::kEither && (by_file || !question.usual_file.empty());
  if (answer.side.why_not.empty() || !has_other) return answer;
  KubeletAnswer other = by_file ? AskServer(question) : ReadFile(question.usual_file);
  const std::string why = std::move(answer.side.why_not);
  if (other.side.why_not.empty()) {
    other.instead = by_file
                        ? fmt::format("{}; the kubelet was asked instead (configz)", why)
                        : fmt::format("{}; {} is used instead, which has no flags of the kubelet",
                                      why, question.usual_file);
    return other;
  }
  answer.side.why_not = fmt::format("{}; {}", why, other.side.why_not);
  answer.unread |= other.unread;
  return answer;
}

}  // namespace jettison
