#include "runtimes/cri/containers/pod_removal.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/readiness/readiness.h"

namespace jettison::cri {

void PodRemoval::KillGroups() {
  for (const std::string& group : remains().groups) {
    const auto living = context_.cgroups.Processes(group);
    if (!living || living->empty()) continue;
    context_.LogFailure("end pod " + remains().uid, context_.group_end.Kill(group));
  }
}

// The processes are killed first, so that what they hold becomes free even if the runtime does not
// answer.
void PodRemoval::EndInRuntime(Done done) {
  KillGroups();
  RemoveRecord(context_, remains().uid);
  clearance_ = std::make_unique<SandboxClearance>(
      context_, remains().uid, [this, done](const Result<std::uint32_t>& cleared) {
        if (!cleared) return done(Fail(cleared.error()));
        StopSlices(done);
      });
  clearance_->Start();
}

// If systemd does not remove a group, it is removed like any other.
void PodRemoval::StopSlices(const Done& done) {
  if (context_.slices == nullptr) return done({});
  context_.disk.DoCall(
      [slices = context_.slices, groups = remains().groups, by = Slices::In5s()] {
        Result<void> outcome;
        for (const std::string& group : groups) {
          if (auto stopped = slices->Stop(kernel::UnitName(group), by); !stopped) outcome = stopped;
        }
        return outcome;
      },
      lifetime().Guard([this, done](const Result<void>& stopped) {
        context_.LogFailure("pod " + remains().uid, stopped);
        done({});
      }));
}

void PodRemoval::AwaitTheRest(Done done) {
  constexpr Duration kLookEvery = std::chrono::milliseconds(25);
  constexpr int kLooks = 400;  // 10 s together
  std::erase_if(layers_, [](const std::string& layer) { return !kernel::Exists(layer); });
  if (!layers_.empty() && layer_looks_++ < kLooks) {
    on_look_ = context_.readiness.After(kLookEvery, [this, done = std::move(done)] {
      on_look_.Stop();
      AwaitTheRest(done);
    });
    return;
  }
  if (!layers_.empty()) {
    context_.Log(fmt::format("pod {}: the runtime has not deleted {} yet; it is gone otherwise",
                             remains().uid, layers_.front()));
  }
  done({});
}

}  // namespace jettison::cri
