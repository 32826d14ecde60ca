#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/model/fault.h"
#include "core/model/threshold.h"

namespace jettison {

// A map of a configuration: signal name to what is said of it.
using SignalSettings = std::map<std::string, std::string, std::less<>>;

// The eviction settings as unparsed text.
struct EvictionSettings {
  SignalSettings hard;               // evictionHard: amount or percentage
  SignalSettings soft;               // evictionSoft: amount or percentage
  SignalSettings soft_grace_period;  // evictionSoftGracePeriod: Go duration
  SignalSettings minimum_reclaim;    // evictionMinimumReclaim: amount or percentage
  bool enforce_pods = false;         // enforceNodeAllocatable has "pods"
};

// The kubelet's default for an absent evictionHard (Linux).
[[nodiscard]] const SignalSettings& DefaultEvictionHard();

struct ThresholdParsing {
  std::vector<Threshold> thresholds;  // hard by signal, soft by signal, then allocatable copies
  Faults warnings;
  Faults faults;  // file left empty; keys as "evictionHard[memory.available]"
};

// The thresholds that the settings describe, exactly as the kubelet understands them, but with
// every fault instead of the first. No defaults are added, containerfs.* is not replaced, and
// thresholds of exactly "0%" and "100%" are left out.
// Source: eviction.ParseThresholdConfig (1.36).
[[nodiscard]] ThresholdParsing ParseThresholds(const EvictionSettings& settings);

}  // namespace jettison
