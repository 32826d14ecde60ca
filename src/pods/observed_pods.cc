#include "pods/observed_pods.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "pods/earlier_pods.h"
#include "pods/pod_groups.h"

namespace jettison {

void ObservedPods::Enter(const std::string& uid, const std::string& name, const Error& error) {
  if (!observed_.try_emplace(uid, Observed{.error = error}).second) return;
  dependencies_.Log(fmt::format(
      "pod {} of an earlier agent cannot be taken over: {}; nothing of it is ended, evicted or "
      "deleted, and its files stay in {}. {}. Apply its manifest again once that has ended or what "
      "is wrong is mended: then the pod is taken over, or its files go to {}/quarantine",
      name, error.message, dependencies_.paths.Pod(uid),
      MayRun(uid) ? "It goes on, and no pod of its UID is made beside it: " + HowToEnd(uid)
                  : "Nothing of it runs",
      dependencies_.paths.root()));
}

std::string ObservedPods::HowToEnd(const std::string& uid) const {
  const auto groups = PossibleGroupsOf(uid, dependencies_.cgroup_driver);
  if (const auto used = InhabitedOf(dependencies_.cgroups, groups)) {
    return "end the processes in its group " + *used;
  }
  return fmt::format("end the processes in one of its groups, {}", fmt::join(groups, ", "));
}

bool ObservedPods::MayRun(const std::string& uid) const {
  return InhabitedOf(dependencies_.cgroups, PossibleGroupsOf(uid, dependencies_.cgroup_driver))
      .has_value();
}

void ObservedPods::Refuse(const PodPlan& plan) {
  const std::string& uid = plan.pod->uid;
  Observed& observed = observed_.at(uid);
  dependencies_.Emit(PodFailed{
      .pod_uid = uid,
      .error = {ErrorCode::kUnavailable,
                fmt::format("an earlier pod of this UID is in its place: {}; if it stays so, {}",
                            observed.error.message, HowToEnd(uid))},
      .by_others = ObservedPods::MayRun(uid)});
  if (std::exchange(observed.is_busy, true)) return;
  const auto reading = std::make_shared<Reading>();
  dependencies_.disk.Do(
      [read = Reader(uid), reading]() -> Result<void> {
        *reading = read();
        return {};
      },
      lifetime_.Guard([this, plan, reading](const Result<void>&) { OnRead(plan, *reading); }));
}

// What the disk has just given is in memory, so the loop does not wait for it.
void ObservedPods::OnRead(const PodPlan& wanted, const Reading& reading) {
  const std::string& uid = wanted.pod->uid;
  auto found = reading.rest ? TakeOver(wanted, reading.record) : Fail(reading.rest.error());
  if (found) {
    observed_.erase(uid);
    return dependencies_.Emit(PodFound{.pod_uid = uid, .pod = *std::move(found)});
  }
  Observed& observed = observed_.at(uid);
  observed = {.error = found.error()};
  if (IsDamage(observed.error) && !MayRun(uid)) SetAside(uid);
}

void ObservedPods::SetAside(const std::string& uid) {
  observed_.at(uid).is_busy = true;
  const auto place = std::make_shared<std::string>();
  dependencies_.disk.Do(
      [paths = dependencies_.paths, uid, now = dependencies_.clock.Now(), place] {
        auto moved = jettison::SetAside(paths, uid, now);
        if (moved) *place = *moved;
        return moved.map([](const auto&) {});
      },
      lifetime_.Guard([this, uid, place](const Result<void>& moved) {
        observed_.at(uid).is_busy = false;
        dependencies_.LogFailure(fmt::format("set the files of pod {} aside", uid), moved);
        if (!moved) return;
        observed_.erase(uid);
        if (!place->empty()) {
          dependencies_.Log(
              fmt::format("pod {} of an earlier agent could not be read and nothing of it runs: "
                          "all its files are in {}; delete them when nobody needs them",
                          uid, *place));
        }
        OnSetAside(uid);
      }));
}

}  // namespace jettison
