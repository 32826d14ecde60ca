// How the agent takes over a configuration that is read again.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/capacity.h"
#include "agent/node_agent.h"
#include "model/fault.h"

namespace jettison {

void NodeAgent::AskForConfig() {
  if (!config_reader_) {
    log_->Info("SIGHUP has no effect; restart the agent to read its configuration again");
    return;
  }
  if (ready_) service_.Reloading();
  config_reader_->Do(
      [readings = readings_, reread = options_.reread_config] { readings->Put(reread()); });
}

void NodeAgent::TakeConfig() {
  const std::vector<ConfigReading> readings = readings_->TakeAll();
  if (readings.empty()) return;
  UseConfig(readings.back());
  if (ready_) service_.Ready();
}

void NodeAgent::UseConfig(const ConfigReading& reading) {
  for (const Fault& fault : reading.faults) {
    log_->Error("the configuration is not valid and nothing of it is taken over",
                {{"fault", Describe(fault)}});
  }
  if (!reading.faults.empty()) return;
  for (const Fault& warning : reading.warnings) {
    log_->Warn("configuration", {{"warning", Describe(warning)}});
  }
  AgentConfig read = reading.config;
  read.dry_run = read.dry_run || options_.dry_run;
  ConfigChanges changes = ChangesOf(config_, read);
  const auto changed = [&](std::string_view prefix) {
    return std::ranges::any_of(changes.at_once,
                               [&](std::string_view name) { return name.starts_with(prefix); });
  };
  TellChanges(changes);
  config_ = std::move(changes.config);
  log_->SetLeast(config_.log_level);
  if (changed("hooks")) hooks_.Replace(config_.hooks);
  if (changed("eviction")) UseEviction();
  NodeIdentity identity = *identity_;
  identity.config = config_;
  identity.allocatable = SharedAmong(config_, identity.capacity);
  identity_ = std::make_shared<const NodeIdentity>(std::move(identity));
  if (options_.on_config) options_.on_config(config_);
}

void NodeAgent::TellChanges(const ConfigChanges& changes) const {
  log_->Info("the configuration was read again",
             {{"changed", fmt::format("{}", fmt::join(changes.at_once, ", "))}});
  if (changes.need_restart.empty()) return;
  log_->Warn("settings have changed that hold as they were until the agent is restarted",
             {{"settings", fmt::format("{}", fmt::join(changes.need_restart, ", "))}});
}

void NodeAgent::UseEviction() {
  pods_.SetAllocatable(SharedAmong(config_, identity_->capacity));
  figures_.SetThresholds(config_.eviction.thresholds);
  if (begun_) WatchAlarms();
  node_.SetEviction(config_.eviction);
}

}  // namespace jettison
