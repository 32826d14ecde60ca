#include "agent/config_in_force.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "agent/figures/capacity.h"
#include "core/model/fault.h"

namespace jettison {

ConfigInForce::ConfigInForce(AgentConfig config, NodeIdentity node, Reread reread, const Log& log)
    : reread_(std::move(reread)), log_(log) {
  node.config = std::move(config);
  node_ = std::make_shared<const NodeIdentity>(std::move(node));
  if (reread_) reader_.emplace(ThreadPurpose{"config", "SIGHUP has no effect"}, AtEnd::kLeave);
}

bool ConfigInForce::Ask() {
  if (!reader_) {
    log_.Info("SIGHUP has no effect; restart the agent to read its configuration again");
    return false;
  }
  reader_->Do([readings = readings_, reread = reread_] { readings->Put(reread()); });
  return true;
}

bool ConfigInForce::Taken::Has(std::string_view prefix) const {
  return std::ranges::any_of(changed,
                             [&](std::string_view name) { return name.starts_with(prefix); });
}

std::optional<ConfigInForce::Taken> ConfigInForce::Take() {
  const std::vector<ConfigReading> readings = readings_->TakeAll();
  if (readings.empty()) return std::nullopt;
  return Use(readings.back());
}

ConfigInForce::Taken ConfigInForce::Use(const ConfigReading& reading) {
  for (const Fault& fault : reading.faults) {
    log_.Error("the configuration is not valid and nothing of it is taken over",
               {{"fault", Describe(fault)}});
  }
  if (!reading.faults.empty()) return {.changed = {}, .faulty = true};
  for (const Fault& warning : reading.warnings) {
    log_.Warn("configuration", {{"warning", Describe(warning)}});
  }
  AgentConfig read = reading.config;
  read.dry_run = read.dry_run || config().dry_run;
  ConfigChanges changes = ChangesOf(config(), read);
  Tell(changes);
  NodeIdentity node = *node_;
  node.config = std::move(changes.config);
  node.allocatable = SharedAmong(node.config, node.capacity);
  node_ = std::make_shared<const NodeIdentity>(std::move(node));
  return {.changed = std::move(changes.at_once)};
}

void ConfigInForce::Tell(const ConfigChanges& changes) const {
  log_.Info("the configuration was read again",
            {{"changed", fmt::format("{}", fmt::join(changes.at_once, ", "))}});
  if (changes.need_restart.empty()) return;
  log_.Warn("settings have changed that hold as they were until the agent is restarted",
            {{"settings", fmt::format("{}", fmt::join(changes.need_restart, ", "))}});
}

}  // namespace jettison
