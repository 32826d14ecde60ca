#include "core/config/agent_config.h"

#include <utility>

#include "core/config/settings.h"

namespace jettison {
namespace {

class Comparison {
 public:
  explicit Comparison(ConfigChanges& changes) : changes_(changes) {}

  void Compare(Takes takes, std::string name, auto& running, const auto& read) {
    if (running == read) return;
    const bool stays =
        takes == Takes::kRestart || (takes == Takes::kFile && IsOneEmpty(running, read));
    (stays ? changes_.need_restart : changes_.at_once).push_back(std::move(name));
    if (!stays) running = read;
  }

  template <typename Rows, typename Owner>
  void CompareAll(const Rows& rows, const std::string& before, Owner& running, const Owner& read) {
    ForEach(rows, [&]<typename Row>(const Row& row) {
      const std::string name = before + std::string(row.name);
      if constexpr (IsSetting<Row>) {
        Compare(row.takes, name, running.*row.value, read.*row.value);
      } else {
        CompareAll(row.rows, row.name.empty() ? before : name + ".", running.*row.part,
                   read.*row.part);
      }
    });
  }

 private:
  static bool IsOneEmpty(const auto& running, const auto& read) {
    if constexpr (requires { running.empty(); }) return running.empty() != read.empty();
    return false;
  }

  ConfigChanges& changes_;
};

}  // namespace

HttpConfig WithFilesOf(HttpConfig running, const HttpConfig& read) {
  ConfigChanges unused;
  Comparison(unused).CompareAll(kHttpSettings, "", running, read);
  return running;
}

ConfigChanges ChangesOf(const AgentConfig& running, const AgentConfig& read) {
  ConfigChanges changes;
  AgentConfig& now = changes.config = running;
  Comparison comparison(changes);
  // The copy of a threshold for the group of all pods belongs to the group's limit.
  const bool limits_alike = running.reservation.enforce_pods == read.reservation.enforce_pods;
  comparison.Compare(limits_alike ? Takes::kAtOnce : Takes::kRestart, "eviction thresholds",
                     now.eviction.thresholds, read.eviction.thresholds);
  comparison.Compare(Takes::kAtOnce, "threshold on memory of its own", now.own_memory_threshold,
                     read.own_memory_threshold);
  comparison.CompareAll(kKubeletSettings, "", now, read);
  comparison.CompareAll(kJettisonSettings, "", now, read);
  return changes;
}

}  // namespace jettison
