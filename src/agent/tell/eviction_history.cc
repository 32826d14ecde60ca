#include "agent/tell/eviction_history.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "kernel/files/files.h"

namespace jettison {
namespace {

// So many numbers are reserved in advance.
constexpr std::uint64_t kCountedAhead = 16;

// How many of the oldest do not fit.
std::size_t CountBeyond(const KeptEvictions& kept, const EvictionHistorySettings& settings) {
  std::size_t bytes = 0;
  std::size_t fitting = 0;
  for (auto each = kept.rbegin(); each != kept.rend(); ++each) {
    bytes += (*each)->Bytes();
    const bool fits = fitting < settings.max_evictions && bytes <= settings.max_bytes;
    if (!fits && fitting > 0) break;
    ++fitting;
  }
  return kept.size() - fitting;
}

}  // namespace

EvictionHistory::EvictionHistory(EvictionHistorySettings settings, const Log& log)
    : settings_(std::move(settings)),
      log_(log),
      drafts_(settings_.folder + ".reserve", settings_.reserved_files, settings_.reserved_bytes),
      counter_(settings_.folder + ".reserve/counter"),
      unexplained_(settings_.max_waiting_passes, settings_.max_waiting_bytes),
      writer_(std::make_unique<BackgroundThread>(
          ThreadPurpose{"explain-write", "explanations of evictions do not survive a restart"})),
      explainer_(std::make_unique<BackgroundThread>(
          ThreadPurpose{"explain", "evictions are explained when the agent stops"})) {
  past_is_known_ = settings_.folder.empty();
  if (past_is_known_) return;
  ReadPast();
  LogComplaints();
  writer_->Do([this] { WriteAll(); });
}

void EvictionHistory::Finish(Duration patience) {
  if (!explainer_) return;
  if (!EndThread(explainer_, &EvictionHistory::ExplainAll, patience)) return;
  (void)EndThread(writer_, &EvictionHistory::WriteLast, patience);
}

// Does the last job on the thread, or on this one if there is no such thread. A thread that is left
// may still use the other, which therefore stays.
bool EvictionHistory::EndThread(std::unique_ptr<BackgroundThread>& thread,
                                void (EvictionHistory::*last)(), Duration patience) {
  if (!thread->running()) {
    thread.reset();
    (this->*last)();
    return true;
  }
  thread->Do([this, last] { (this->*last)(); });
  const bool ended = FinishOrLeave(*thread, weak_from_this(), patience);
  thread.reset();
  return ended;
}

void EvictionHistory::WriteLast() {
  WriteAll();
  std::uint64_t last = 0;
  {
    const std::lock_guard lock(mutex_);
    last = last_number_;
  }
  // No further number is used, so the reserved ones need not be skipped.
  if (counted_to_ > last) (void)counter_.Write(last);
}

// The number of an eviction that was explained before may have been used, so it is explained again.
void EvictionHistory::ReadPast() {
  auto past = ReadPastEvictions(settings_.folder, counter_, settings_.max_evictions);
  Complain(unread_, past ? std::nullopt : std::optional(past.error()),
           "past evictions cannot be read; new ones are not written before they can be, and have "
           "other numbers then");
  if (!past) return;
  for (PastEvictions::Damage& damage : past->damages) {
    complaints_.Put({std::move(damage.message), std::move(damage.error)});
  }
  Replaced replaced;  // with all that is unwritten
  const std::lock_guard lock(mutex_);
  last_number_ = past->last_number + std::exchange(dropped_before_, 0);
  fallen_out_ = std::move(past->fallen_out);
  unwritten_.clear();
  replaced = SetKept(std::move(past->kept));
  unexplained_.StartOver();
  past_is_known_ = true;
}

bool EvictionHistory::PastIsKnown() const {
  const std::lock_guard lock(mutex_);
  return past_is_known_;
}

void EvictionHistory::Reserve() {
  std::optional<Error> failure;
  if (const auto filled = drafts_.Refill(); !filled) failure = filled.error();
  Complain(unreserved_, failure,
           "no disk space can be reserved for explanations of evictions; they cannot be written if "
           "the disk is full");
}

// Reserves numbers before they run out, so that no eviction waits for the disk.
void EvictionHistory::KeepCounterAhead() {
  std::uint64_t last = 0;
  {
    const std::lock_guard lock(mutex_);
    last = last_number_;
  }
  if (counted_to_ >= last + kCountedAhead / 2) return;
  if (counter_.Write(last + kCountedAhead)) counted_to_ = last + kCountedAhead;
}

void EvictionHistory::Complain(bool& complained, const std::optional<Error>& failure,
                               std::string_view message) {
  if (failure && !complained) complaints_.Put({std::string(message), failure->message});
  complained = failure.has_value();
}

void EvictionHistory::Retry() {
  if (!PastIsKnown()) return ExplainAndWrite();
  {
    const std::lock_guard lock(mutex_);
    if (unwritten_.empty()) return;
  }
  writer_->Do([this] { WriteAll(); });
}

void EvictionHistory::Add(std::shared_ptr<const RecordedPass> pass) {
  std::vector<WaitingPasses::Pass> dropped;
  {
    const std::lock_guard lock(mutex_);
    dropped = unexplained_.Add(std::move(pass));
    for (const auto& each : dropped) {
      (past_is_known_ ? last_number_ : dropped_before_) += each->report.evictions.size();
    }
  }
  for (const auto& each : dropped) TellOfDropped(*each);
  ExplainAndWrite();
}

void EvictionHistory::TellOfDropped(const RecordedPass& pass) {
  for (const EvictionRecord& eviction : pass.report.evictions) {
    complaints_.Put(
        {"the explanation of an eviction is not kept, because too many wait for the disk",
         fmt::format("{}, evicted at {}", NameOfPod(pass, eviction.order.pod_uid),
                     FormatInstant(pass.report.at))});
  }
}

void EvictionHistory::ExplainAndWrite() {
  explainer_->Do([this] {
    ExplainAll();
    writer_->Do([this] { WriteAll(); });
  });
}

std::shared_ptr<const KeptEvictions> EvictionHistory::Evictions() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

void EvictionHistory::ExplainAll() {
  if (!PastIsKnown()) ReadPast();
  for (;;) {
    std::shared_ptr<const RecordedPass> pass;
    {
      const std::lock_guard lock(mutex_);
      pass = unexplained_.Next(!past_is_known_);
    }
    if (!pass) return;
    for (const EvictionRecord& eviction : pass->report.evictions) {
      Keep(*pass, eviction.order.pod_uid);
    }
  }
}

void EvictionHistory::Keep(const RecordedPass& pass, const std::string& uid) {
  std::uint64_t number = 0;
  std::shared_ptr<const KeptEviction> last;
  {
    const std::lock_guard lock(mutex_);
    number = last_number_ + 1;
    if (!kept_->empty()) last = kept_->back();
  }
  KeptEviction kept = KeepEviction(pass, uid, number,
                                   {.dry_run = settings_.dry_run,
                                    .memory_estimator = settings_.memory_estimator,
                                    .order_limit = settings_.order_limit});
  const bool again = settings_.dry_run && last && last->dry_run && last->pod.uid == uid &&
                     last->signal == kept.signal;
  if (!again) Put(std::move(kept));
}

void EvictionHistory::Put(KeptEviction kept) {
  const auto newest = std::make_shared<const KeptEviction>(std::move(kept));
  Replaced replaced;
  const std::lock_guard lock(mutex_);
  last_number_ = std::max(last_number_, newest->number);
  KeptEvictions list = *kept_;
  list.push_back(newest);
  unwritten_.push_back(newest);
  replaced = SetKept(std::move(list));
}

// As many of them as fit.
EvictionHistory::Replaced EvictionHistory::SetKept(KeptEvictions list) {
  const auto end = list.begin() + static_cast<std::ptrdiff_t>(CountBeyond(list, settings_));
  for (auto each = list.begin(); each != end; ++each) fallen_out_.push_back((*each)->number);
  KeptEvictions left_out(std::make_move_iterator(list.begin()), std::make_move_iterator(end));
  list.erase(list.begin(), end);
  // A disk that hangs holds the writer up, and these are not written any more.
  const std::uint64_t oldest = list.empty() ? 0 : list.front()->number;
  std::erase_if(unwritten_, [&](const auto& kept) { return kept->number < oldest; });
  auto before = std::exchange(kept_, std::make_shared<const KeptEvictions>(std::move(list)));
  return {.kept = std::move(before), .left_out = std::move(left_out)};
}

// Before the past is known nothing is written or deleted, because a number may be that of an
// earlier eviction.
void EvictionHistory::WriteAll() {
  if (!PastIsKnown()) return;
  KeptEvictions unwritten;
  std::vector<std::uint64_t> fallen_out;
  {
    const std::lock_guard lock(mutex_);
    unwritten.swap(unwritten_);
    fallen_out.swap(fallen_out_);
  }
  if (settings_.folder.empty()) return;
  constexpr unsigned kMode = 0750;
  std::optional<Error> failure;
  KeptEvictions failed;
  const auto made = kernel::MakeFolders(settings_.folder, kMode).and_then([&] {
    return kernel::MakeFolders(settings_.folder + ".reserve", kMode);
  });
  KeepCounterAhead();
  for (const auto& kept : unwritten) {
    auto written = made.and_then(
        [&] { return drafts_.Put(EvictionPath(settings_.folder, kept->number), kept->json); });
    if (written) continue;
    failure = written.error();
    failed.push_back(kept);
  }
  for (const std::uint64_t number : fallen_out)
    ::unlink(EvictionPath(settings_.folder, number).c_str());
  Complain(unwritable_, failure,
           "the explanation of an eviction cannot be written; it is lost if the agent restarts");
  PutBack(failed);
  Reserve();
}

// Evictions that were dropped from the history since are not put back.
void EvictionHistory::PutBack(const KeptEvictions& failed) {
  if (failed.empty()) return;
  const std::lock_guard lock(mutex_);
  const std::uint64_t oldest = kept_->empty() ? 0 : kept_->front()->number;
  KeptEvictions again;
  for (const auto& kept : failed) {
    if (kept->number >= oldest) again.push_back(kept);
  }
  unwritten_.insert(unwritten_.begin(), again.begin(), again.end());
}

void EvictionHistory::LogComplaints() {
  for (const Complaint& complaint : complaints_.TakeAll()) {
    log_.Warn(complaint.message, {{"err", complaint.error}});
  }
}

}  // namespace jettison
