#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/explain/explain.h"
#include "core/pass/recorded_pass.h"
#include "core/units/duration.h"

namespace jettison {

// The explanation of an eviction as text, with the members by which it is listed and searched. All
// other members are also part of `json`.
struct KeptEviction {
  std::uint64_t number = 0;  // counts from 1 since the agent's start
  std::string id;            // "ev-<number>"
  Instant at;
  PodIdentity pod;
  std::string signal;   // "memory.available"; empty: the pod broke a limit of local storage
  std::string summary;  // one line
  std::string message;  // of the pod's status
  bool dry_run = false;
  std::string text;  // the explanation for people
  std::string json;  // the explanation as a JSON object, a newline at its end

  [[nodiscard]] std::size_t Bytes() const { return text.size() + json.size() + message.size(); }
};

// The last evictions, oldest first.
using KeptEvictions = std::vector<std::shared_ptr<const KeptEviction>>;

// "ev-12", and back; 0 where the text is no such id.
[[nodiscard]] std::string EvictionId(std::uint64_t number);
[[nodiscard]] std::uint64_t EvictionNumber(std::string_view id);

// Explains why a pass failed the pod with `uid`.
[[nodiscard]] KeptEviction KeepEviction(const RecordedPass& pass, const std::string& uid,
                                        std::uint64_t number, ExplainOptions options);

}  // namespace jettison
