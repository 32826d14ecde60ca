#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/pods/pod_table.h"
#include "apply/pass.h"
#include "core/model/signal.h"
#include "core/pass/pass.h"
#include "core/units/duration.h"
#include "machine/log/event_log.h"
#include "machine/log/log.h"
#include "ports/clock.h"

namespace jettison {

// What a node is told once.
struct NodeSettings {
  PassPolicy policy;
  // False: which file systems there are is not known before SetLayout, and the policy has no
  // thresholds on imagefs.
  bool layout_known = true;
  Duration monitoring_interval = std::chrono::seconds(10);
  // How long a walk through pods' files serves full passes as long as the disks are not short, no
  // pod has come, and none has a limit on local storage. 0: each full pass has a walk of its own.
  Duration walk_serves{0};
  bool memory_notifications = false;
  // Whether the last passes are kept for onlookers with all their inputs. Passes that evict are
  // kept in any case.
  bool record_passes = false;
};

// What a node works with; everything must outlive it.
struct NodeDependencies {
  const Clock& clock;
  Figures& figures;
  DiskWalks& disk_walks;
  PodTable& pods;
  LastingReclaimer& reclaimer;
  EventLog& events;
  const Log& log;
  // Has the kernel wake the node at these levels of usage, and at no others. May be
  // null.
  std::function<void(std::vector<MemoryLevel>)> arm = nullptr;
  // Removes empty groups of pods that are gone; called every minute. May be null.
  std::function<void()> sweep_groups = nullptr;
  // Called when a full pass is over, whether its figures of pods' files are new, serve still, or
  // are the last known of a walk that hangs, and also if it may not evict yet. May be null.
  std::function<void()> on_full_pass = nullptr;
  // Called with each pass that evicted or is kept for onlookers, after it is over. It must return
  // at once. May be null.
  std::function<void(const std::shared_ptr<const RecordedPass>&)> on_pass = nullptr;
  // Asked by `killer` before a pod is evicted for a soft threshold. Null: soft evictions are
  // carried out at once.
  SoftEvictions* soft = nullptr;
  std::vector<NodeListener*> listeners = {};  // informed in this order
};

}  // namespace jettison
