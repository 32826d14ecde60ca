#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/notify/eviction_history.h"
#include "api/api.h"
#include "api/overview/overview.h"
#include "core/explanation/explanation_text.h"
#include "core/json/json_writer.h"
#include "core/text/spelling.h"
#include "sim/explain_now.h"

namespace jettison {
namespace {

// An explanation in the form that was asked for.
template <typename Explanation>
HttpResponse Told(const Call& call, const Explanation& explanation) {
  if (call.Parameter("output") == "text") return Body(TextOf(explanation), kAsText);
  return Body(JsonOf(explanation));
}

HttpResponse Told(const Call& call, const PastEviction& kept) {
  return call.Parameter("output") == "text" ? Body(kept.text, kAsText) : Body(kept.json);
}

const PastEvictions& EvictionsOf(const Snapshot& snapshot) {
  static const PastEvictions kNone;
  return snapshot.evictions ? *snapshot.evictions : kNone;
}

bool IsNamed(std::string_view wanted, std::string_view pod_namespace, std::string_view name,
             std::string_view uid) {
  if (wanted == uid || wanted == name) return true;
  const std::size_t slash = wanted.find('/');
  return slash != std::string_view::npos && wanted.substr(0, slash) == pod_namespace &&
         wanted.substr(slash + 1) == name;
}

// What came before the agent's start is not in its memory.
std::string SinceStart(const Snapshot& snapshot) {
  if (!snapshot.node) return "";
  return fmt::format(
      " since the agent started at {}; `jettison explain --file RECORDING` explains "
      "what its recording has",
      FormatInstant(snapshot.node->started_at));
}

HttpResponse ExplainEviction(const Call& call, std::string_view id) {
  const Snapshot& snapshot = *call.snapshot;
  std::vector<std::string_view> ids;
  for (const auto& kept : EvictionsOf(snapshot)) {
    if (kept->id == id) return Told(call, *kept);
    ids.push_back(kept->id);
  }
  const std::string known = ids.empty()
                                ? "no pod was evicted" + SinceStart(snapshot)
                                : fmt::format("the kept evictions are {} to {}{}", ids.front(),
                                              ids.back(), SinceStart(snapshot));
  return StatusAnswer(404, fmt::format("there is no eviction \"{}\"; {}", id, known));
}

// The pod that was probably meant: one of a near name. Empty: none is near.
std::string MeantPod(const Snapshot& snapshot, std::string_view wanted) {
  std::vector<std::string_view> names;
  for (const PodView& pod : snapshot.pods) names.push_back(pod.name);
  const std::string_view name = NearestWord(wanted.substr(wanted.find('/') + 1), names);
  const auto meant = std::ranges::find(snapshot.pods, name, &PodView::name);
  return meant == snapshot.pods.end() ? "" : meant->namespace_ + "/" + meant->name;
}

// Where a pod on the node stands; nothing where it is in no order of eviction.
std::optional<PodExplanation> Standing(const Snapshot& snapshot, const PodView& pod) {
  auto explanation = ExplainPod(NodeNowOf(snapshot), pod.uid);
  if (!explanation) return std::nullopt;
  explanation->activity = NameOf(pod.activity);
  for (const auto& kept : EvictionsOf(snapshot)) {
    if (kept->pod.namespace_ == pod.namespace_ && kept->pod.name == pod.name) {
      explanation->evictions.push_back(kept->id);
    }
  }
  return explanation;
}

HttpResponse ExplainPodNamed(const Call& call, std::string_view wanted) {
  const Snapshot& snapshot = *call.snapshot;
  const PodView* pod = nullptr;
  std::vector<std::string> names;
  for (const PodView& each : snapshot.pods) {
    if (!IsNamed(wanted, each.namespace_, each.name, each.uid)) continue;
    pod = &each;
    names.push_back(each.namespace_ + "/" + each.name);
  }
  if (names.size() > 1) {
    return StatusAnswer(400, fmt::format("there are several pods named \"{}\"; give one of: {}",
                                         wanted, fmt::join(names, " ")));
  }
  if (pod != nullptr) {
    if (auto refusal = NoPassYet(snapshot)) return *std::move(refusal);
    if (const auto standing = Standing(snapshot, *pod)) return Told(call, *standing);
  }
  const PastEvictions& past = EvictionsOf(snapshot);
  const auto last = std::find_if(past.rbegin(), past.rend(), [&](const auto& kept) {
    return IsNamed(wanted, kept->pod.namespace_, kept->pod.name, kept->pod.uid);
  });
  if (last != past.rend()) return Told(call, **last);
  if (pod == nullptr) {
    const std::string meant = MeantPod(snapshot, wanted);
    return StatusAnswer(
        404,
        fmt::format("there is no pod \"{}\" on the node{}, and no pod of that name was evicted{}",
                    wanted, meant.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", meant),
                    SinceStart(snapshot)));
  }
  if (pod->activity == PodActivity::kRunning && !pod->memory_working_set_bytes) {
    return StatusAnswer(404, fmt::format("pod {} is running, but no pass has measured it yet; "
                                         "ask again after the next full pass",
                                         names.front()));
  }
  return StatusAnswer(404, fmt::format("pod {} is {}: it is not in any order of eviction, and it "
                                       "was not evicted{}",
                                       names.front(), NameOf(pod->activity), SinceStart(snapshot)));
}

}  // namespace

HttpResponse AnswerExplain(const Call& call) {
  const auto pod = call.Parameter("pod");
  const auto eviction = call.Parameter("eviction");
  if (pod && eviction) {
    return StatusAnswer(400, "pod and eviction cannot be combined; give one of them");
  }
  if (eviction) return ExplainEviction(call, *eviction);
  if (pod) return ExplainPodNamed(call, *pod);
  if (auto refusal = NoPassYet(*call.snapshot)) return *std::move(refusal);
  return Told(call, ExplainNode(NodeNowOf(*call.snapshot)));
}

HttpResponse AnswerEvictions(const Call& call) {
  return Body(JsonObject([&](JsonWriter& json) {
    json.Field("apiVersion", "jettison.io/v1alpha1");
    json.Field("kind", "EvictionList");
    json.Objects("items", EvictionsOf(*call.snapshot), [&](const auto& kept) {
      json.Field("id", kept->id);
      json.Field("at", FormatInstant(kept->at));
      json.Object("pod", [&] {
        json.Field("namespace", kept->pod.namespace_);
        json.Field("name", kept->pod.name);
        json.Field("uid", kept->pod.uid);
      });
      if (!kept->signal.empty()) json.Field("signal", kept->signal);
      if (kept->dry_run) json.Field("dryRun", true);
      json.Field("summary", kept->summary);
      json.Field("message", kept->message);
    });
  }));
}

HttpResponse AnswerEviction(const Call& call) {
  return ExplainEviction(call, call.rest);
}

HttpResponse AnswerRank(const Call& call) {
  const std::string_view name = call.Parameter("signal").value_or("");
  const auto signal = EnumeratorNamed<Signal>(name);
  if (!signal) return WrongSignal(name);
  const PodOrder order = OrderNow(NodeNowOf(*call.snapshot), *signal);
  if (call.Parameter("output") == "text") return Body(TextOf(order), kAsText);
  return Body(JsonOf(order, call.snapshot->at));
}

}  // namespace jettison
