#include "cli/simulate/candidates.h"

#include <fmt/format.h>

#include <utility>

#include "cli/ask/config_files.h"
#include "core/model/fault.h"
#include "core/thresholds/containerfs_thresholds.h"

namespace jettison {
namespace {

PassPolicy WithEviction(PassPolicy policy, const EvictionPolicy& eviction) {
  policy.thresholds = ThresholdsFor(eviction.thresholds, policy.layout);
  policy.pressure_transition_period = eviction.pressure_transition_period;
  policy.max_pod_grace_period_seconds = eviction.max_pod_grace_period_seconds;
  policy.local_storage_capacity_isolation &= eviction.local_storage_capacity_isolation;
  return policy;
}

using Settings = std::vector<std::pair<std::string, std::string>>;  // key to value

// Every combination of one value each.
std::vector<Settings> Grid(const std::vector<Sweep>& sweeps) {
  std::vector<Settings> grid = {{}};
  for (const Sweep& sweep : sweeps) {
    std::vector<Settings> wider;
    for (const Settings& settings : grid) {
      for (const std::string& value : sweep.values) {
        wider.push_back(settings);
        wider.back().emplace_back(sweep.key, value);
      }
    }
    grid = std::move(wider);
  }
  return grid;
}

std::string NameFor(const std::string& base, const Settings& settings) {
  std::string name = base;
  for (const auto& [key, value] : settings) {
    name += fmt::format("{}{}={}", name.empty() ? "" : " ", key, value);
  }
  return name;
}

// What was checked with the base cannot fail with it; with the policy of another recording a
// setting that has no place there is left out.
PassPolicy WithSettings(PassPolicy policy, const Settings& settings) {
  for (const auto& [key, value] : settings) {
    if (auto changed = WithSetting(policy, key, value)) policy = std::move(*changed);
  }
  return policy;
}

class Reader {
 public:
  explicit Reader(const PassPolicy& base) : base_(base) {}

  void Read(const CandidateOptions& options) {
    std::size_t count = 1;
    for (const std::string& text : options.sweeps) {
      auto sweep = ParseSweep(text);
      if (!sweep) {
        Complain(sweep.error().message);
        continue;
      }
      count *= sweep->values.size();
      sweeps_.push_back(std::move(*sweep));
      if (count > kMostPolicies) {
        return Complain(fmt::format("the sweeps come to more than {} policies", kMostPolicies));
      }
    }
    candidates_.policies.push_back({.name = "in force", .of = {}});
    if (options.policy_files.empty() && !sweeps_.empty())
      Add("", [](PassPolicy policy) { return policy; });
    for (const std::string& file : options.policy_files) AddFile(file);
  }

  Result<Candidates> Take() {
    if (!faults_.empty()) return Fail(ErrorCode::kInvalidArgument, std::move(faults_));
    return std::move(candidates_);
  }

 private:
  void Complain(const std::string& fault) {
    if (!faults_.empty()) faults_ += "\njettison: ";
    faults_ += fault;
  }

  void AddFile(const std::string& file) {
    const ConfigReading reading = ReadConfigFiles({.files = {file}});
    for (const Fault& fault : reading.faults) Complain(Describe(fault));
    if (!reading.faults.empty()) return;
    if (is_first_) {
      candidates_.model.backoff = reading.config.eviction_backoff.initial;
      candidates_.model.max_backoff = reading.config.eviction_backoff.max;
      candidates_.model.monitoring_interval = reading.config.monitoring_interval;
    }
    is_first_ = false;
    Add(file, [eviction = reading.config.eviction](PassPolicy policy) {
      return WithEviction(std::move(policy), eviction);
    });
  }

  template <typename Of>
  void Add(const std::string& name, Of of) {
    for (const Settings& settings : Grid(sweeps_)) {
      PassPolicy policy = of(base_);
      bool fits = true;
      for (const auto& [key, value] : settings) {
        auto changed = WithSetting(policy, key, value);
        if (!changed) {
          Complain(changed.error().message);
          fits = false;
          break;
        }
        policy = std::move(*changed);
      }
      if (!fits) return;  // the others of the grid say the same
      candidates_.policies.push_back(
          {.name = NameFor(name, settings), .of = [of, settings](const PassPolicy& recorded) {
             return WithSettings(of(recorded), settings);
           }});
    }
  }

  const PassPolicy& base_;
  std::vector<Sweep> sweeps_;
  Candidates candidates_;
  std::string faults_;
  bool is_first_ = true;
};

}  // namespace

Result<Candidates> ReadCandidates(const CandidateOptions& options, const PassPolicy& base) {
  Reader reader(base);
  reader.Read(options);
  return reader.Take();
}

}  // namespace jettison
