// links: jettison_config jettison_documents
//
// Any text, read as configuration documents: whatever it says, reading ends with a policy or with
// faults, and a policy without faults is one that can be run.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/documents/documents.h"
#include "core/config/agent_config.h"
#include "core/config/read_config.h"
#include "core/thresholds/threshold_settings.h"
#include "fuzz/fuzz.h"

namespace {

void CheckRunnable(const jettison::AgentConfig& config) {
  using jettison::Duration;
  Require(config.eviction.thresholds.size() <= jettison::kMaxThresholds);
  for (const jettison::Threshold& threshold : config.eviction.thresholds) {
    Require(threshold.grace_period >= Duration::zero());
  }
  Require(config.eviction.pressure_transition_period > Duration::zero());
  Require(config.monitoring_interval > Duration::zero());
  Require(config.image_gc.low_threshold_percent < config.image_gc.high_threshold_percent);
  Require(config.eviction_backoff.initial <= config.eviction_backoff.max);
  Require(config.root.starts_with('/') && config.node_fs.starts_with('/'));
  Require(!config.logs.max_size_bytes || *config.logs.max_size_bytes > 0);
}

}  // namespace

void Fuzz(std::string_view text) {
  auto parsed = jettison::ParseDocuments(text);
  if (!parsed) return;
  std::vector<jettison::ConfigDocument> documents;
  for (jettison::Value& document : *parsed) documents.push_back({"/etc/c", std::move(document)});
  const jettison::ConfigReading reading = jettison::ReadConfig(documents);
  if (reading.faults.empty()) CheckRunnable(reading.config);
  for (const jettison::ConfigDocument& theirs : documents) {
    const jettison::ConfigReading beside =
        jettison::ReadConfig(documents, {.document = theirs, .why_not = {}});
    if (beside.faults.empty()) CheckRunnable(beside.config);
  }
  // The same as drop-ins, each in a file of its own, over the first of them.
  for (std::size_t i = 1; i < documents.size(); ++i) {
    documents[i].drop_in = true;
    documents[i].file = "/etc/c.d/" + std::to_string(i);
  }
  const jettison::ConfigReading layered = jettison::ReadConfig(documents);
  if (layered.faults.empty()) CheckRunnable(layered.config);
  using jettison::DiskLayout;
  for (const std::optional<DiskLayout> layout :
       {std::optional<DiskLayout>(), std::optional(DiskLayout{}),
        std::optional(DiskLayout{.dedicated_image_fs = true})}) {
    const auto effective = jettison::ThresholdsFor(reading.config.eviction.thresholds, layout);
    static_cast<void>(jettison::NodeAllocatable({{"memory", jettison::Quantity::Of(1 << 30)}},
                                                reading.config.reservation, effective));
  }
}
