#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/threshold.h"
#include "core/units/duration.h"
#include "machine/log/log.h"
#include "view/snapshot.h"

namespace jettison {

struct AgentConfig;    // core/config/agent_config.h
struct ConfigReading;  // core/config/read_config.h
class Board;           // view/board.h

// Options of the caller, in addition to the configuration.
struct AgentOptions {
  bool dry_run = false;    // decide and report, but neither evict nor reclaim
  bool stop_pods = false;  // end every pod, with its grace period, before Run returns
  // SIGTERM and SIGINT end Run. Where false, the caller keeps its signals and calls Stop.
  bool handle_signals = true;
  LogFormat log_format = LogFormat::kText;
  // Takes each line of the log, without newline; empty: lines go to standard error.
  std::function<void(std::string_view)> log;
  // Called on the agent's thread after each pass, and after each change of a pod or event, but
  // never between a decision and its kill. It must return soon, because the node is not watched
  // meanwhile.
  std::function<void(const Snapshot&)> observer;
  // Reads the configuration again, on SIGHUP; empty: SIGHUP has no effect. Called on a thread that
  // may outlive the agent: it must own what it uses.
  std::function<ConfigReading()> reread_config;
  // With `source: kubernetes`: the kubelet's thresholds, if they are known.
  std::optional<std::vector<Threshold>> kubelet_thresholds;
  // Reads the kubelet's configuration again, on the same thread as `reread_config`; absent: it has
  // not changed. Called every `kubelet_look_every`; zero: never.
  std::function<std::optional<ConfigReading>()> look_at_kubelet;
  Duration kubelet_look_every{0};
  // Called with the configuration in effect after the agent has read it again.
  std::function<void(const AgentConfig&)> on_config;
  // Gives other threads snapshots of the agent; null: nobody looks on, and no passes are kept.
  std::shared_ptr<Board> board;
};

}  // namespace jettison
