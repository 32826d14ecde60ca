#include "cli/doctor/doctor_kubelet.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/ask/ask_kubelet.h"
#include "cli/ask/read_documents.h"
#include "core/config/read_config.h"
#include "core/model/threshold.h"
#include "core/thresholds/kubelet_order.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

constexpr const char* kThresholdsCheck = "kubelet's thresholds";

HostCheck MissingThresholds(std::string found, std::string cost, std::string remedy) {
  return {.check = kThresholdsCheck,
          .status = HostStatus::kMissing,
          .found = std::move(found),
          .cost = std::move(cost),
          .remedy = std::move(remedy)};
}

HostCheck Unread(const KubeletAnswer& answer) {
  return MissingThresholds(
      answer.faults.empty() ? answer.side.why_not : DescribeAll(answer.faults),
      "the agent does not start unless evictionHard is set, because it does not guess thresholds",
      "set kubernetes.kubeletConfiguration to the kubelet's file, or give the agent the "
      "right to get nodes/configz");
}

std::string Shown(const Threshold& theirs, const std::vector<Threshold>& ours) {
  std::string text = fmt::format("{} {}", NameOf(theirs.signal), ThresholdText(theirs.value));
  if (!theirs.IsHard()) text += " for " + FormatDuration(theirs.grace_period);
  const auto at = std::ranges::find_if(ours, [&theirs](const Threshold& threshold) {
    return threshold.signal == theirs.signal && threshold.IsHard() == theirs.IsHard();
  });
  return at == ours.end() ? text : text + fmt::format(" (ours {})", ThresholdText(at->value));
}

std::string Shown(const ConfigReading& reading) {
  std::string text;
  for (const Threshold& theirs : *reading.kubelet_thresholds) {
    if (theirs.signal == Signal::kAllocatableMemoryAvailable) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ",
                        Shown(theirs, reading.config.eviction.thresholds));
  }
  if (reading.config.own_memory_threshold) {
    text += fmt::format("{}no hard one on memory.available (ours {})", text.empty() ? "" : ", ",
                        ThresholdText(DefaultMemoryThreshold()));
  }
  return text.empty() ? "none" : text;
}

// What an agent runs with that is told nothing but its source.
ConfigDocument OnlyTheSource() {
  const auto text = [](const char* word) { return Value(std::string(word)); };
  return {"", Value(Value::Map{{"apiVersion", text("jettison.io/v1alpha1")},
                               {"kind", text("JettisonConfiguration")},
                               {"source", text("kubernetes")}})};
}

}  // namespace

HostCheck CheckKubeletThresholds(const ClusterQuestion& question) {
  std::vector<ConfigDocument> ours = ReadDocuments(question.config, Empty::kAllowed).documents;
  AgentConfig config = ReadConfig(ours).config;
  KubeletQuestion asked = QuestionOf(config);
  asked.kubeconfig = question.kubeconfig;
  asked.node = question.node;
  if (config.source != SourceKind::kKubernetes) {
    ours = {OnlyTheSource()};
    asked.usual_file.clear();  // it may be another machine's kubelet
  }
  const KubeletAnswer answer = AskKubelet(asked, Ways::kEither);
  if (!answer.side.document) return Unread(answer);
  const ConfigReading reading = ReadConfig(ours, answer.side);
  Faults faults = reading.faults;
  faults.insert(faults.end(), reading.not_above_kubelet.begin(), reading.not_above_kubelet.end());
  if (faults.empty()) {
    return OkCheck(kThresholdsCheck,
                   Shown(reading) + (answer.instead.empty() ? "" : "; " + answer.instead));
  }
  return MissingThresholds(
      DescribeAll(faults), "the agent does not start: the kubelet would evict first",
      "raise the agent's thresholds, or leave them out: they are then derived from the kubelet's");
}

}  // namespace jettison
