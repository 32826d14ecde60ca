#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/agent_config.h"
#include "core/model/fault.h"
#include "core/model/threshold.h"
#include "core/model/value.h"
#include "core/thresholds/fields.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {

// A member of a document that a drop-in has set and no later drop-in has replaced.
struct Override {
  std::string key;  // as faults name it: "evictionHard[pid.available]"
  std::string file;
};

// One document of a configuration file.
struct ConfigDocument {
  std::string file;  // as the user named it; relative paths inside count from its directory
  Value document;
  bool drop_in = false;                  // it is put over what was said before it
  std::vector<Override> overrides = {};  // what drop-ins have put over it (Sorted)
};

// The configuration of the kubelet that Jettison stands beside (`source: kubernetes`).
struct KubeletSide {
  // A KubeletConfiguration, as its file or configz has it; absent: not known.
  std::optional<ConfigDocument> document;
  // Why the document, which was requested, could not be read; empty: no error.
  std::string why_not;
};

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

// Every field of a JettisonConfiguration, in alphabetical order.
[[nodiscard]] std::span<const std::string_view> JettisonFieldNames();

// Every field of KubeletConfiguration v1beta1 (1.36), in alphabetical order.
[[nodiscard]] std::span<const std::string_view> KubeletFieldNames();

// The steps of reading, for the files of this room.

// Applies a JettisonConfiguration (jettison.io/v1alpha1) to `config`. An unknown field is a fault,
// because only Jettison reads such a document. Thresholds on pressure and swap are appended to the
// thresholds of `config`.
void ApplyJettisonConfiguration(const Fields& fields, AgentConfig& config, Faults& warnings);

// The threshold settings of a KubeletConfiguration as unparsed text: evictionHard, which has the
// kubelet's defaults if it is absent, or is merged with them, and evictionSoft with its grace
// periods. Minimum reclaims are read elsewhere.
[[nodiscard]] EvictionSettings ReadEvictionSettings(const Fields& fields);

// Applies a KubeletConfiguration (v1beta1) to `config`, with the kubelet's defaults for absent
// fields; an empty document has them all. Only staticPodPath is read elsewhere, in ReadConfig,
// which knows the file of the field. Faults are noted by `fields`.
void ApplyKubeletConfiguration(const Fields& fields, AgentConfig& config, Faults& warnings,
                               Faults& faults);

// The file that sets the member which a fault's key names ("evictionHard[pid.available]",
// "http.address", "hooks[1].url"). For a map that is merged from several files, it is the last one.
[[nodiscard]] const std::string& FileOf(const ConfigDocument& document, std::string_view key);

// The documents of a configuration by kind, with the drop-ins merged over them.
struct SortedDocuments {
  std::optional<ConfigDocument> kubelet;   // absent: there is no such document
  std::optional<ConfigDocument> jettison;  // the same
};

// `documents` are in order of precedence, the drop-ins last. A kind may occur once outside of
// drop-ins, and once in each drop-in. A document of an unknown kind, or a second one of a kind, is
// a fault and is left out. Another version is a fault.
//
// If evictionHard is absent and a drop-in sets thresholds, only these change: the others keep their
// defaults, as in the kubelet (mergeDefaultEvictionSettings is set for that).
[[nodiscard]] SortedDocuments Sorted(const std::vector<ConfigDocument>& documents, Faults& faults);

}  // namespace jettison
