#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "cli/ask/config_files.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "machine/loop/steady_clock.h"
#include "ports/clock.h"
#include "sources/kubernetes/calls/object_calls.h"
#include "sources/kubernetes/client/api_client.h"
#include "sources/kubernetes/credentials/api_access.h"
#include "sources/kubernetes/objects/api_objects.h"

namespace jettison {
namespace {

constexpr Duration kLongestCall = std::chrono::seconds(5);
constexpr const char* kKind = "KubeletConfiguration";

KubeletAnswer Refusal(const std::string& file, std::string message) {
  KubeletAnswer answer;
  answer.faults.push_back({.file = file, .key = "", .value = "", .message = std::move(message)});
  return answer;
}

// `unread`: another try may help.
KubeletAnswer NoAnswer(std::string why, bool unread = false) {
  return {.side = {.document = {}, .why_not = std::move(why)}, .unread = unread};
}

KubeletAnswer ReadFile(const std::string& file) {
  auto text = TextOf(file);
  if (!text) return NoAnswer(fmt::format("{}: {}", file, text.error().message), true);
  KubeletAnswer answer;
  auto documents = ConfigDocumentsIn(file, *text, answer.warnings, answer.faults);
  if (!documents) {
    return Refusal(file, "the kubelet's configuration is faulty: " + documents.error().message);
  }
  const Value* const kind = documents->size() == 1 ? documents->front().Find("kind") : nullptr;
  if (kind == nullptr || kind->AsString() == nullptr || *kind->AsString() != kKind) {
    return Refusal(
        file, fmt::format("must hold exactly one document, the kubelet's own, of kind {}", kKind));
  }
  answer.side.document = ConfigDocument{file, std::move(documents->front())};
  answer.text = std::move(*text);
  return answer;
}

// The kubelet's answer to configz, understood or not. In it there is no difference between no
// evictionHard and the default, because a kubelet fills in the defaults before it answers: absent
// means none.
KubeletAnswer AnswerOf(const std::string& body, const std::string& node) {
  const auto told = kube::ReadKubeletConfiguration(body);
  if (!told) return NoAnswer(told.error().message);
  Value::Map members = *told->AsMap();
  if (told->Find("evictionHard") == nullptr) members.emplace_back("evictionHard", Value::Map{});
  KubeletAnswer answer{.text = body};
  answer.side.document =
      ConfigDocument{fmt::format("configz of node {}", node), Value(std::move(members))};
  return answer;
}

constexpr const char* kRemedy =
    "; set kubernetes.kubeletConfiguration to the kubelet's file, or give the agent the right to "
    "get nodes/configz";

bool MayPass(kube::CallResult result) {
  return result == kube::CallResult::kAway || result == kube::CallResult::kBusy ||
         result == kube::CallResult::kUnauthenticated;
}

Error ErrorOf(const kube::Outcome& outcome, const std::string& whose) {
  const auto code =
      MayPass(outcome.result) ? ErrorCode::kUnavailable : ErrorCode::kPermissionDenied;
  return {code, whose + outcome.why};
}

// Of the kubelet itself, by the access to its API server. kUnavailable: it may answer later.
Result<kube::ApiReply> AskItself(kube::ApiAccess access, kube::ApiClient& server,
                                 const Clock& clock, const std::string& node) {
  const auto reply = kube::AskNow(server, kube::GetNode(node), kLongestCall);
  if (const kube::Outcome outcome = kube::OutcomeOf(reply); !outcome.ok()) {
    return Fail(ErrorOf(outcome, ""));
  }
  const auto known = kube::ReadApiNode(reply->body);
  if (!known) return Fail(known.error());
  access.server = kube::KubeletUrlOf(*known);
  if (access.server.empty()) {
    return Fail(ErrorCode::kUnavailable, "the Node object does not say where its kubelet answers");
  }
  access.path_prefix.clear();
  access.server_name.clear();
  const auto kubelet = kube::ApiClient::Open(access, clock);
  if (!kubelet) return Fail(kubelet.error());
  auto answer = kube::AskNow(**kubelet, kube::GetOwnKubeletConfiguration(), kLongestCall);
  if (const kube::Outcome outcome = kube::OutcomeOf(answer); !outcome.ok()) {
    return Fail(ErrorOf(outcome, access.server + ": "));
  }
  return answer;
}

KubeletAnswer AskServer(const KubeletQuestion& question) {
  const kube::AccessReading reading = question.kubeconfig.empty()
                                          ? kube::AccessByServiceAccount(kube::OwnServiceAccount())
                                          : kube::AccessByKubeconfig(question.kubeconfig);
  const SteadyClock clock;
  const auto client = reading.faults.empty()
                          ? kube::ApiClient::Open(reading.access, clock)
                          : Fail(ErrorCode::kInvalidArgument, DescribeAll(reading.faults));
  const std::string whose = fmt::format("configz of node {}: ", question.node);
  if (!client) return NoAnswer(whose + client.error().message);
  const auto reply =
      kube::AskNow(**client, kube::GetKubeletConfiguration(question.node), kLongestCall);
  const kube::Outcome outcome = kube::OutcomeOf(reply);
  if (outcome.ok()) return AnswerOf(reply->body, question.node);
  if (outcome.result != kube::CallResult::kForbidden) {
    return NoAnswer(whose + outcome.why, MayPass(outcome.result));
  }
  const auto own = AskItself(reading.access, **client, clock, question.node);
  if (own) return AnswerOf(own->body, question.node);
  return NoAnswer(fmt::format("{}{}; from the kubelet itself: {}{}", whose, outcome.why,
                              own.error().message, kRemedy),
                  own.error().code == ErrorCode::kUnavailable);
}

}  // namespace

KubeletQuestion QuestionOf(const AgentConfig& config) {
  return {.file = config.kubernetes.kubelet_configuration,
          .kubeconfig = config.kubernetes.kubeconfig,
          .node = NodeNameOf(config)};
}

KubeletAnswer AskKubelet(const KubeletQuestion& question) {
  return question.file.empty() ? AskServer(question) : ReadFile(question.file);
}

}  // namespace jettison
