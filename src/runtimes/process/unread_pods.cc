#include "runtimes/process/unread_pods.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <memory>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/paths.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/mounts/quarantine.h"
#include "runtimes/process/removal/removal_mark.h"

namespace jettison::process {

using namespace kernel;
namespace {

constexpr Duration kFirstDelay = std::chrono::seconds(1);
constexpr Duration kLastDelay = std::chrono::seconds(30);
constexpr Duration kEndingDelay = std::chrono::milliseconds(50);
constexpr const char* kConfigHash = "kubernetes.io/config.hash";
constexpr std::string_view kAnyUid = "UID";

bool IsDamage(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument;
}

// Its containers must not be started again.
void NeverStart(PodPlan& plan) {
  Pod pod = *plan.pod;
  pod.restart_policy = RestartPolicy::kNever;
  plan.pod = std::make_shared<const Pod>(std::move(pod));
}

// The file stays in its place until another one is written.
void KeepBeside(const std::string& file, const std::string& damaged) {
  if (!Exists(file)) return;
  (void)::unlink(damaged.c_str());
  (void)::link(file.c_str(), damaged.c_str());
}

void RefusePlace(RuntimeContext& context, const std::string& uid, const Error& error) {
  context.Emit(PodFailed{
      uid,
      {ErrorCode::kUnavailable, "an earlier pod of this UID is in its place: " + error.message}});
}

// A UID that is a hash of the whole pod belongs to no other pod.
bool UidTellsContent(const Pod& pod) {
  const auto hash = pod.annotations.find(kConfigHash);
  return hash != pod.annotations.end() && hash->second == pod.uid;
}

Unread::Readable ReadableAfter(const Error& error) {
  return IsDamage(error) ? Unread::Readable::kAll : Unread::Readable::kNothing;
}

void NoteFailure(Unread& unread, const Error& error) {
  unread.error = error;
  unread.readable = ReadableAfter(error);
}

}  // namespace

std::string UnreadPods::GroupInUse(const std::string& uid) const {
  const auto groups = PossibleGroupsOf(uid, context_.options.cgroup_driver);
  const auto used = std::find_if(groups.begin(), groups.end(), [this](const std::string& group) {
    return pods_.IsInhabited(group);
  });
  return used == groups.end() ? groups.back() : *used;
}

// What is known of a pod from its folders: the folder of its logs has its name, and each container
// has a folder.
Pod UnreadPods::SketchOf(const std::string& uid) const {
  Pod pod;
  pod.uid = uid;
  pod.name = uid;
  pod.namespace_ = "unknown";
  const std::string logs = context_.paths.Logs();
  for (const std::string& name : NamesIn(logs).value_or(std::vector<std::string>{})) {
    if (!IsLogsOf(name, uid)) continue;
    const std::size_t end = name.find('_');
    pod.namespace_ = name.substr(0, end);
    pod.name = name.substr(end + 1, name.size() - end - uid.size() - 2);
  }
  const auto containers = NamesIn(context_.paths.Containers(uid));
  for (const std::string& name : containers.value_or(std::vector<std::string>{})) {
    pod.containers.emplace_back().name = name;
  }
  if (pod.containers.empty()) pod.containers.emplace_back().name = "unknown";
  return pod;
}

void UnreadPods::Enter(const std::string& uid, Error error) {
  PodEntry& entry = pods_.all()[uid];
  entry.plan = {.pod = std::make_shared<const Pod>(SketchOf(uid))};
  entry.group = GroupInUse(uid);
  SetUnread(entry, std::move(error));
}

// A slice of systemd has "_" for each "-" in the UID, so its name alone does not give the UID.
std::optional<std::string> UnreadPods::OwnPodOf(QosClass qos, const std::string& group) const {
  const CgroupDriver driver = context_.options.cgroup_driver;
  const std::string pattern = PodGroup(qos, kAnyUid, driver);
  const std::size_t at = pattern.rfind(kAnyUid);
  const std::string_view head = std::string_view(pattern).substr(0, at);
  const std::string_view tail = std::string_view(pattern).substr(at + kAnyUid.size());
  if (!group.starts_with(head) || !group.ends_with(tail)) return std::nullopt;
  if (group.size() <= head.size() + tail.size()) return std::nullopt;
  const std::string uid = group.substr(at, group.size() - head.size() - tail.size());
  std::string dashed = uid;
  std::ranges::replace(dashed, '_', '-');
  for (const std::string& candidate : {uid, dashed}) {
    const bool is_its = IsPathSegment(candidate) && Exists(context_.paths.Pod(candidate)) &&
                        PodGroup(qos, candidate, driver) == group;
    if (is_its) return candidate;
  }
  return std::nullopt;
}

// Without a record it is known by what its folders tell.
PodEntry& UnreadPods::EnterRecalled(const std::string& uid, std::optional<PodPlan> plan) {
  if (plan) return pods_.Enter(*std::move(plan));
  PodEntry& entry = pods_.all()[uid];
  entry.plan = {.pod = std::make_shared<const Pod>(SketchOf(uid))};
  return entry;
}

std::vector<RuntimePod> UnreadPods::Recall() {
  recalled_ = true;
  std::vector<RuntimePod> recalled;
  for (const QosClass qos : kQosClasses) {
    const std::string parent = QosGroup(qos, context_.options.cgroup_driver);
    const auto names = context_.cgroups.Children(parent);
    for (const std::string& name : names.value_or(std::vector<std::string>{})) {
      const std::string group = fmt::format("{}/{}", parent, name);
      const auto uid = OwnPodOf(qos, group);
      if (!uid || !pods_.IsInhabited(group)) continue;
      auto plan = adoption_.ReadPlan(*uid);
      if (plan && !*plan) continue;  // its removal has begun
      PodEntry& entry = EnterRecalled(*uid, plan ? *std::move(plan) : std::nullopt);
      entry.group = group;
      SetUnread(entry, {ErrorCode::kUnavailable, "the folder of the pods cannot be listed"});
      if (auto told = Tell(entry)) recalled.push_back(*std::move(told));
    }
  }
  ScheduleTending();
  return recalled;
}

std::map<std::string, PodEntry> UnreadPods::TakeRecalled() {
  recalled_ = false;
  std::map<std::string, PodEntry> taken;
  for (auto pod = pods_.all().begin(); pod != pods_.all().end();) {
    const Unread* const unread = pod->second.unread();
    const auto next = std::next(pod);
    const bool is_told = unread != nullptr && unread->known == Unread::Known::kTold;
    if (unread != nullptr && unread->known != Unread::Known::kEnding && !unread->is_moving) {
      auto node = pods_.all().extract(pod);
      if (is_told) taken.insert(std::move(node));
    }
    pod = next;
  }
  return taken;
}

void UnreadPods::SetUnread(PodEntry& entry, Error error) {
  const Pod& pod = *entry.plan.pod;
  context_.Log(fmt::format(
      "pod {} of an earlier agent cannot be taken over: {}; it goes on as it is, nothing of it is "
      "deleted, and {}",
      FullName(pod), error.message,
      IsDamage(error)
          ? "restore its manifest, or end the pod and delete " + context_.paths.Pod(pod.uid)
          : std::string("it is tried again")));
  NeverStart(entry.plan);
  const Unread::Readable readable = ReadableAfter(error);
  readings_.Enter(
      entry.state.emplace<Unread>(Unread{.error = std::move(error),
                                         .groups = {context_.options.cgroup_root + entry.group},
                                         .readable = readable}));
}

std::optional<RuntimePod> UnreadPods::Tell(PodEntry& entry) const {
  if (!pods_.IsInhabited(entry.group)) return std::nullopt;
  entry.unread()->known = Unread::Known::kTold;
  const Pod& pod = *entry.plan.pod;
  RuntimePod told{.pod = pod, .containers = {}, .foreign = true, .unread = true};
  for (const Container& container : pod.containers) {
    told.containers.push_back({.pod_uid = pod.uid,
                               .name = container.name,
                               .attempt = 0,
                               .created = context_.clock.Now()});
  }
  return told;
}

const std::vector<std::string>* UnreadPods::GroupsOf(const std::string& uid) const {
  const auto pod = pods_.all().find(uid);
  if (pod == pods_.all().end()) return nullptr;
  const Unread* const unread = pod->second.unread();
  return unread == nullptr || unread->known == Unread::Known::kHere ? nullptr : &unread->groups;
}

// Takes over the pod that is there; if the UID determines the content, its plan is known to be
// `plan`. A pod that cannot be taken over gives way only when nothing of it runs, and the new pod
// gets none of its files. Nothing is read here that the disk did not give the last time: no plan
// repairs a run.
void UnreadPods::MakeWay(const PodPlan& plan) {
  const std::string& uid = plan.pod->uid;
  Unread& unread = *pods_.all().at(uid).unread();
  if (unread.is_moving) {
    unread.next = plan;
    return;
  }
  if (unread.known == Unread::Known::kEnding) {
    return context_.Emit(PodFailed{
        uid, {ErrorCode::kUnavailable, "an earlier pod of this UID is ending in its place"}});
  }
  const bool is_certain = UidTellsContent(*plan.pod);
  const bool has_all = unread.readable == Unread::Readable::kAll;
  const bool has_runs = unread.readable == Unread::Readable::kRuns;
  if (readings_.IsReading(uid) || !(has_all || (has_runs && is_certain))) {
    return RefusePlace(context_, uid, unread.error);
  }
  if (has_runs ? TakeOver(plan) : TryTakeOver(uid, is_certain ? &plan : nullptr)) return;
  const PodEntry& entry = pods_.all().at(uid);
  const Error& error = entry.unread()->error;
  if (IsDamage(error) && !pods_.IsInhabited(entry.group)) return SetAside(plan);
  RefusePlace(context_, uid, error);
}

bool UnreadPods::TryTakeOver(const std::string& uid, const PodPlan* certain) {
  const auto read = adoption_.ReadPlan(uid);
  if (read) return *read && TakeOver(**read);  // null: it has been deleted since
  NoteFailure(*pods_.all().at(uid).unread(), read.error());
  if (certain == nullptr || !IsDamage(read.error()) || !TakeOver(*certain)) return false;
  Mend(pods_.all().at(uid));
  return true;
}

bool UnreadPods::TakeOver(const PodPlan& plan) {
  const std::string uid = plan.pod->uid;
  Unread before = *pods_.all().at(uid).unread();
  pods_.all().erase(uid);
  PodEntry& entry = pods_.Enter(plan);
  auto found = adoption_.TakeOver(entry);
  if (!found) {
    NoteFailure(before, found.error());
    entry.state.emplace<Unread>(std::move(before));
    NeverStart(entry.plan);
    return false;
  }
  context_.Emit(PodFound{.pod_uid = uid, .pod = std::move(*found)});
  return true;
}

void UnreadPods::Mend(const PodEntry& entry) {
  const Pod& pod = *entry.plan.pod;
  const std::string file = context_.paths.PodFile(pod.uid);
  const std::string damaged = DamagedPodFile(context_.paths, pod.uid);
  const auto was_damaged = std::make_shared<bool>(false);
  context_.disk.Do(
      [file, damaged, was_damaged,
       text = context_.options.written_pods->Write(pod)]() -> Result<void> {
        KeepBeside(file, damaged);
        *was_damaged = Exists(damaged);
        return WriteFile(file, text);
      },
      [&context = context_, file, damaged, was_damaged](const Result<void>& written) {
        context.LogFailure("mend " + file, written);
        if (!written) return;
        context.Log(*was_damaged
                        ? fmt::format("{} was damaged and is written anew; what it was is in {}",
                                      file, damaged)
                        : fmt::format("{} was missing and is written anew", file));
      });
}

void UnreadPods::Signal(const std::string& uid, int signal) {
  PodEntry* const entry = pods_.Find(uid);
  Unread* const unread = entry == nullptr ? nullptr : entry->unread();
  if (unread == nullptr || unread->known == Unread::Known::kHere) return;
  unread->known = Unread::Known::kEnding;
  const auto signalled = signal == SIGKILL ? context_.group_end.Kill(entry->group)
                                           : context_.group_end.Signal(entry->group, signal);
  if (!signalled) context_.LogFailure("end pod " + FullName(*entry->plan.pod), signalled);
  ScheduleTending();
}

void UnreadPods::ScheduleTending() {
  Duration delay = std::clamp(2 * tending_delay_, kFirstDelay, kLastDelay);
  bool any = false;
  for (const auto& [uid, entry] : pods_.all()) {
    const Unread* const unread = entry.unread();
    any = any || unread != nullptr;
    if (unread != nullptr && unread->known == Unread::Known::kEnding) delay = kEndingDelay;
  }
  if (!any) return;
  if (delay >= kFirstDelay) tending_delay_ = delay;
  on_tending_ = context_.readiness.After(delay, [this] {
    on_tending_.Stop();
    Tend();
  });
  ScheduleReadings();
}

// Those that were recalled are taken over with the listing.
void UnreadPods::ScheduleReadings() {
  if (!recalled_) readings_.Schedule();
}

void UnreadPods::Tend() {
  for (const auto& [uid, entry] : pods_.all()) {
    if (entry.unread() != nullptr && !entry.unread()->is_moving) TellWhereEnded(uid);
  }
  ScheduleTending();
}

// The pod may have become another one meanwhile. What the disk has just given is in memory, so the
// pod is taken over with what it says now, and the loop does not wait for the disk.
void UnreadPods::OnRead(const std::string& uid, const Result<void>& read,
                        Unread::Readable readable) {
  const auto pod = pods_.all().find(uid);
  Unread* const unread = pod == pods_.all().end() ? nullptr : pod->second.unread();
  if (unread == nullptr) return;
  unread->readable = readable;
  if (!read) unread->error = read.error();
  if (unread->is_moving) return;
  const bool is_free = unread->known != Unread::Known::kEnding && !recalled_;
  if (read && is_free && TryTakeOver(uid, nullptr)) return;
  TellWhereEnded(uid);
}

void UnreadPods::TellWhereEnded(const std::string& uid) {
  PodEntry& entry = pods_.all().at(uid);
  const bool is_told = entry.unread()->known != Unread::Known::kHere;
  if (is_told && !pods_.IsInhabited(entry.group)) TellEnded(uid, entry);
}

void UnreadPods::TellEnded(const std::string& uid, PodEntry& entry) {
  entry.unread()->known = Unread::Known::kHere;
  const Instant now = context_.clock.Now();
  for (const Container& container : entry.plan.pod->containers) {
    context_.Emit(ContainerExited{
        .pod_uid = uid,
        .container = container.name,
        .attempt = 0,
        .exit = {.exit_code = 128 + SIGKILL, .signal = SIGKILL, .started = now, .finished = now}});
  }
  context_.Emit(PodRemoved{uid});
}

void UnreadPods::SetAside(const PodPlan& next) {
  const std::string uid = next.pod->uid;
  Unread& unread = *pods_.all().at(uid).unread();
  unread.is_moving = true;
  unread.next = next;
  const auto place = std::make_shared<std::string>();
  context_.disk.Do(
      [paths = context_.paths, uid, now = context_.clock.Now(), place]() -> Result<void> {
        auto moved = kernel::SetAside(paths, uid, now);
        if (!moved) return Fail(moved.error());
        *place = *std::move(moved);
        return {};
      },
      [this, uid, place](const Result<void>& moved) { OnSetAside(uid, moved, *place); });
}

void UnreadPods::OnSetAside(const std::string& uid, const Result<void>& moved,
                            const std::string& place) {
  Unread& unread = *pods_.all().at(uid).unread();
  unread.is_moving = false;
  std::optional<PodPlan> next = std::exchange(unread.next, std::nullopt);
  if (!moved) {
    context_.Log(moved.error().In("set the files of pod " + uid + " aside").message);
    if (next) RefusePlace(context_, uid, unread.error);
    return;
  }
  context_.Log(
      fmt::format("the record of pod {} was damaged or lost, and nothing of it runs: all its files "
                  "are in {}; delete "
                  "them when nobody needs them",
                  uid, place));
  pods_.all().erase(uid);
  if (next) freed_.push_back(*std::move(next));
  context_.readiness.Wake();
}

void UnreadPods::Forget(const std::string& uid) {
  const auto is_its = [&uid](const PodPlan& plan) { return plan.pod->uid == uid; };
  std::erase_if(freed_, is_its);
  const auto pod = pods_.all().find(uid);
  Unread* const unread = pod == pods_.all().end() ? nullptr : pod->second.unread();
  if (unread != nullptr) unread->next.reset();
}

std::vector<PodPlan> UnreadPods::TakeFreed() {
  return std::exchange(freed_, {});
}

}  // namespace jettison::process
