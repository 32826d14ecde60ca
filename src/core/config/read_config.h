#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/agent_config.h"
#include "core/config/beside_kubelet.h"
#include "core/config_layers/config_document.h"
#include "core/model/fault.h"
#include "core/model/threshold.h"

namespace jettison {

// A drop-in that was read, and what holds from it: the names of fields, as faults name them.
struct DropInReading {
  std::string file;
  std::vector<std::string> fields;
};

// What came of reading a configuration. Where there are faults, `config` holds what could be read
// and must not be run.
struct ConfigReading {
  AgentConfig config;
  Faults warnings;  // things that the author may have meant otherwise, but that do no harm
  Faults faults;    // every one
  // With `source: kubernetes`: what the kubelet evicts by, where that is known.
  std::optional<std::vector<Threshold>> kubelet_thresholds;
  // A fault for each threshold of ours that does not lie above the kubelet's. `config` has these
  // thresholds no more; an agent does not begin with them.
  Faults not_above_kubelet;
  std::vector<DropInReading> drop_ins;  // in the order in which they were put over one another
};

// Reads at most one KubeletConfiguration (kubelet.config.k8s.io/v1beta1) and at most one
// JettisonConfiguration (jettison.io/v1alpha1), in any order, and what drop-ins put over them
// (sorted_documents.h); what is not said has its default. Each fault names the file it stands in.
// `kubelet` counts with `source: kubernetes` alone, and its document is the default for ours then.
// Where it was asked for and is not known, evictionHard has to be set: nothing is evicted on a
// guess.
[[nodiscard]] ConfigReading ReadConfig(const std::vector<ConfigDocument>& documents,
                                       const KubeletSide& kubelet = {});

}  // namespace jettison
