#include "runtimes/process/unread_readings.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/paths.h"
#include "runtimes/process/runs/found_runs.h"

namespace jettison::process {

using namespace kernel;
namespace {

constexpr Duration kFirstPause = std::chrono::seconds(1);
constexpr Duration kLastPause = std::chrono::seconds(30);
// A pod takes at most every eleventh second of the thread. The pause has an end, because the
// machine may be suspended during a reading.
constexpr int kPausePerReading = 10;
constexpr Duration kMostPause = std::chrono::hours(1);
// Between two readings, what waits for the thread has as much time as the first one took.
constexpr Duration kMostRest = std::chrono::seconds(30);

// Succeeds if the disk gives the record, be it damaged or missing.
Result<void> ReadThroughRecord(const Paths& paths, const std::string& uid) {
  const auto record = ReadFile(paths.PodFile(uid));
  if (!record && record.error().code != ErrorCode::kNotFound) return Fail(record.error());
  return {};
}

// The same of all runs.
Result<void> ReadThroughRuns(const Paths& paths, const std::string& uid,
                             const std::string& boot_id) {
  std::vector<std::string> strange;
  const auto runs = ReadRuns(paths, uid, boot_id, strange);
  if (!runs && runs.error().code != ErrorCode::kNotFound) return Fail(runs.error());
  if (!runs) return {};
  const auto passing = std::ranges::find(*runs, true, &FoundRun::passing);
  if (passing != runs->end()) return Fail(ErrorCode::kUnavailable, passing->fault);
  return {};
}

// Reads everything that tells of a pod.
Result<void> ReadThrough(const Paths& paths, const std::string& uid, const std::string& boot_id,
                         Unread::Readable& readable) {
  const auto record = ReadThroughRecord(paths, uid);
  const auto runs = ReadThroughRuns(paths, uid, boot_id);
  readable = !runs     ? Unread::Readable::kNothing
             : !record ? Unread::Readable::kRuns
                       : Unread::Readable::kAll;
  return record ? runs : record;
}

// Whether it may be read: what ends is left alone until it has ended.
bool IsWaiting(const Unread& unread) {
  return !unread.is_moving && unread.known != Unread::Known::kEnding;
}

}  // namespace

void UnreadReadings::Enter(Unread& unread) const {
  unread.pause = kFirstPause;
  unread.next_reading = Later(context_.clock.Now(), kFirstPause);
}

bool UnreadReadings::IsReading(const std::string& uid) const {
  return reading_ && reading_->uid == uid;
}

Unread* UnreadReadings::Find(const std::string& uid) const {
  const auto pod = pods_.all().find(uid);
  return pod == pods_.all().end() ? nullptr : pod->second.unread();
}

std::optional<UnreadReadings::Due> UnreadReadings::Next() const {
  std::optional<Due> next;
  for (const auto& [uid, entry] : pods_.all()) {
    const Unread* const unread = entry.unread();
    if (unread == nullptr || !IsWaiting(*unread)) continue;
    if (!next || unread->next_reading < next->at) next = Due{uid, unread->next_reading};
  }
  if (next) next->at = std::max(next->at, rests_until_);
  return next;
}

void UnreadReadings::Schedule() {
  on_due_.Stop();
  if (reading_) return;
  const auto next = Next();
  if (!next) return;
  on_due_ = context_.readiness.After(Elapsed(context_.clock.Now(), next->at), [this] {
    on_due_.Stop();
    ReadNext();
  });
}

// The timer has another clock, and may be early.
void UnreadReadings::ReadNext() {
  const auto next = Next();
  if (!next || next->at > context_.clock.Now()) return Schedule();
  Read(next->uid);
}

void UnreadReadings::Read(const std::string& uid) {
  reading_ = Reading{uid, context_.clock.Now()};
  const auto readable = std::make_shared<Unread::Readable>(Unread::Readable::kNothing);
  context_.disk.Do([paths = context_.paths, uid, boot_id = context_.boot_id,
                    readable] { return ReadThrough(paths, uid, boot_id, *readable); },
                   [this, readable](const Result<void>& read) { OnRead(read, *readable); });
}

// The wait for the thread counts, too: others wait for it as well.
void UnreadReadings::OnRead(const Result<void>& read, Unread::Readable readable) {
  const Reading reading = *std::exchange(reading_, std::nullopt);
  const Instant now = context_.clock.Now();
  const Duration took = std::clamp(Elapsed(reading.began, now), Duration(0), kMostPause);
  rests_until_ = Later(now, std::min(took, kMostRest));
  if (Unread* const unread = Find(reading.uid)) {
    unread->pause = std::clamp(2 * unread->pause, kFirstPause, kLastPause);
    unread->next_reading = std::max(Later(reading.began, unread->pause),
                                    Later(now, std::min(kPausePerReading * took, kMostPause)));
  }
  done_(reading.uid, read, readable);
}

}  // namespace jettison::process
