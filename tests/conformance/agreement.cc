#include "tests/conformance/agreement.h"

#include <algorithm>

namespace jettison {
namespace {

using nlohmann::json;

constexpr const char* kComparedFields[] = {"nodeConditions", "reclaimSignal", "reclaimed",
                                           "events",         "evictions",     "admission"};

// Absent, null, empty and false all say nothing.
bool SaysNothing(const json& value) {
  return value.is_null() || value.empty() || value == json(false) || value == json("");
}

json WithoutEmptyMembers(const json& value) {
  if (!value.is_object()) return value;
  json kept = json::object();
  for (const auto& [name, member] : value.items()) {
    if (!SaysNothing(member) || member.is_number()) kept[name] = member;
  }
  return kept;
}

json Normalised(const json& step, const char* field) {
  const auto found = step.find(field);
  if (found == step.end() || SaysNothing(*found)) return nullptr;
  if (!found->is_array()) return *found;
  json list = json::array();
  for (const json& item : *found) list.push_back(WithoutEmptyMembers(item));
  return list;
}

std::vector<std::string> Sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

bool RankingAgrees(const json& recorded, const json& replayed) {
  const auto flat = replayed.value("ranking", std::vector<std::string>{});
  std::size_t at = 0;
  for (const json& group : recorded.value("ranking", json::array())) {
    const auto equals = group.get<std::vector<std::string>>();
    if (at + equals.size() > flat.size()) return false;
    const auto from = flat.begin() + static_cast<std::ptrdiff_t>(at);
    const auto to = from + static_cast<std::ptrdiff_t>(equals.size());
    if (Sorted(equals) != Sorted({from, to})) return false;
    at += equals.size();
  }
  return at == flat.size();
}

}  // namespace

bool StepAgrees(const json& recorded, const json& replayed) {
  for (const char* field : kComparedFields) {
    if (Normalised(recorded, field) != Normalised(replayed, field)) return false;
  }
  return RankingAgrees(recorded, replayed);
}

bool Agrees(const json& outcomes, const json& steps) {
  return std::any_of(outcomes.begin(), outcomes.end(), [&](const json& outcome) {
    return outcome.size() == steps.size() &&
           std::equal(outcome.begin(), outcome.end(), steps.begin(), StepAgrees);
  });
}

std::string FirstDifference(const json& outcomes, const json& steps) {
  const json& outcome = outcomes.front();
  if (outcome.size() != steps.size()) return "a different number of steps";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (StepAgrees(outcome[i], steps[i])) continue;
    return "step " + std::to_string(i) + "\nrecorded " + outcome[i].dump() + "\nreplayed " +
           steps[i].dump();
  }
  return "no difference to the first outcome";
}

}  // namespace jettison
