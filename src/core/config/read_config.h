#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/agent_config.h"
#include "core/config/config_document.h"
#include "core/config/configurations.h"
#include "core/model/fault.h"
#include "core/model/threshold.h"

namespace jettison {

// A drop-in that was read, and the names of its fields that are in effect, as faults name them.
struct DropInReading {
  std::string file;
  std::vector<std::string> fields;
};

// The result of reading a configuration. If there are faults, `config` holds only what could be
// read, and must not be run.
struct ConfigReading {
  AgentConfig config;
  Faults warnings;      // harmless settings that the author may have meant differently
  Faults faults;        // every one
  bool unread = false;  // a file or the kubelet's answer could not be read; its fault says why
  // The kubelet's configuration is missing or faulty, or ours is faulty only together with it: the
  // faults may pass without a change of ours.
  bool kubelet_at_fault = false;
  // With `source: kubernetes`: what the kubelet evicts by, where that is known.
  std::optional<std::vector<Threshold>> kubelet_thresholds;
  // A fault for each threshold of ours that does not lie above the kubelet's. An agent does not
  // start if there are any.
  Faults not_above_kubelet;
  // Of a configuration that is read again: settings in files which it names, and which are neither
  // merged into it nor taken over before a restart, that differ from those in use.
  std::vector<std::string> need_restart;
  std::vector<DropInReading> drop_ins;  // in the order in which they were put over one another
};

// Reads at most one KubeletConfiguration (kubelet.config.k8s.io/v1beta1) and at most one
// JettisonConfiguration (jettison.io/v1alpha1), in any order, with the drop-ins merged over them
// (Sorted). Absent fields have their defaults. Each fault names its file. `kubelet` is
// used only with `source: kubernetes`; its document then gives the defaults of ours. If the
// kubelet's configuration was requested but could not be read, evictionHard must be set, because
// nothing is evicted by guessed thresholds.
[[nodiscard]] ConfigReading ReadConfig(const std::vector<ConfigDocument>& documents,
                                       const KubeletSide& kubelet = {});

}  // namespace jettison
