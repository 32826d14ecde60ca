#include "cli/ask/ask_kubelet.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "agent/loop/steady_clock.h"
#include "cli/ask/node_name.h"
#include "cli/ask/read_documents.h"
#include "codec/documents/documents.h"
#include "core/units/result.h"
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

bool IsKubeletConfiguration(const Value& document) {
  const Value* const kind = document.Find("kind");
  return kind != nullptr && kind->AsString() != nullptr && *kind->AsString() == kKind;
}

KubeletAnswer ReadFile(const std::string& file) {
  auto text = TextOf(file);
  if (!text) {
    KubeletAnswer answer = Refusal(file, text.error().message);
    answer.unread = true;
    return answer;
  }
  auto documents = ParseDocuments(*text);
  if (!documents) {
    return Refusal(file, "the kubelet's configuration is faulty: " + documents.error().message);
  }
  if (documents->size() != 1 || !IsKubeletConfiguration(documents->front())) {
    return Refusal(
        file, fmt::format("must hold exactly one document, the kubelet's own, of kind {}", kKind));
  }
  KubeletAnswer answer;
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

// Absent: it may be asked again.
std::optional<KubeletAnswer> Ask(const Cluster& cluster, const std::string& node, Duration timeout,
                                 std::string& why) {
  const auto reply = kube::AskNow(cluster.server, kube::GetKubeletConfiguration(node), timeout);
  const kube::Outcome outcome = kube::OutcomeOf(reply);
  if (outcome.ok()) return AnswerOf(reply->body, node);
  why = fmt::format("configz of node {}: {}", node, outcome.why);
  if (MayPass(outcome.result)) return std::nullopt;
  KubeletAnswer answer;
  if (outcome.result == kube::CallResult::kForbidden) {
    const auto own = AskItself(cluster, node, timeout);
    if (own) return AnswerOf(own->body, node);
    why += fmt::format("; from the kubelet itself: {}{}", own.error().message, kRemedy);
    answer.unread = own.error().code == ErrorCode::kUnavailable;
  }
  answer.side.why_not = why;
  return answer;
}

KubeletAnswer AskServer(const KubeletQuestion& question, const Patience& patience) {
  const kube::AccessReading reading = question.kubeconfig.empty()
                                          ? kube::AccessByServiceAccount(kube::OwnServiceAccount())
                                          : kube::AccessByKubeconfig(question.kubeconfig);
  KubeletAnswer answer;
  answer.faults = reading.faults;
  if (!answer.faults.empty()) return answer;
  const SteadyClock clock;
  const auto client = kube::ApiClient::Open(reading.access, clock);
  if (!client) {
    answer.side.why_not = client.error().message;
    return answer;
  }
  const Cluster cluster{.access = reading.access, .clock = clock, .server = **client};
  const Instant until = clock.Now() + patience.in_all;
  std::string why;
  while (true) {
    const Duration left = until - clock.Now();
    const Duration most = std::clamp(left, Duration(std::chrono::milliseconds(1)), kLongestCall);
    if (auto answered = Ask(cluster, question.node, most, why)) return *std::move(answered);
    if (clock.Now() + patience.between >= until) break;
    if (patience.on_retry) patience.on_retry(why);
    std::this_thread::sleep_for(patience.between);
  }
  answer.side.why_not = why;
  answer.unread = true;
  return answer;
}

}  // namespace

KubeletQuestion QuestionOf(const AgentConfig& config) {
  return {.file = config.kubernetes.kubelet_configuration,
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

KubeletAnswer AskKubelet(const KubeletQuestion& question, const Patience& patience) {
  return question.file.empty() ? AskServer(question, patience) : ReadFile(question.file);
}

}  // namespace jettison
