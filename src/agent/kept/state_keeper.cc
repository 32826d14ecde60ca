#include "agent/kept/state_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "agent/kept/kept_state_text.h"

namespace jettison {
namespace {

// Changes come in bursts, which one write covers.
constexpr Duration kSpacing = std::chrono::milliseconds(100);
// What is observed in every pass is written this often.
constexpr Duration kRefresh = std::chrono::seconds(10);

constexpr Duration kReadPatience = std::chrono::seconds(1);
constexpr Duration kReadAgainAfter = std::chrono::milliseconds(50);

// How long pods that are not on the node wait for a state that cannot be read: much less than they
// would wait because of a condition in it.
constexpr Duration kLatePatience = std::chrono::minutes(1);
constexpr Duration kLateReadEvery = std::chrono::seconds(1);

constexpr std::string_view kWithout =
    "if the agent restarts now, evicted pods start at once, and node conditions and back-offs are "
    "forgotten";

bool IsDamage(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument;
}

}  // namespace

void StateKeeper::RestFor(Duration duration) {
  std::this_thread::sleep_for(duration);
}

// The guard begins with the state, so it cannot wait for long.
Result<std::optional<std::string>> StateKeeper::ReadPatiently() {
  auto text = file_.Read();
  for (Duration waited{0}; !text && !IsDamage(text.error()) && waited < kReadPatience;
       waited += kReadAgainAfter) {
    wait_(kReadAgainAfter);
    text = file_.Read();
  }
  return text;
}

KeptState StateKeeper::Load() {
  loaded_ = true;
  if (file_.path().empty()) return {};
  auto text = ReadPatiently();
  if (text && !*text) return {};
  auto reading = text ? ParseKeptState(**text, clock_) : Fail(text.error());
  if (reading) {
    for (const std::string& fault : reading->faults) {
      log_.Warn("a part of the saved state is damaged and is ignored",
                {{"file", file_.path()}, {"err", fault}});
    }
    return std::move(reading->state);
  }
  const bool damaged = IsDamage(reading.error());
  if (!damaged) {
    unread_ = true;
    late_ = Late::kAwaited;
    awaited_until_ = clock_.Now() + kLatePatience;
    log_.Warn(
        "the saved state cannot be read; the agent guards the node without it, and for up to a "
        "minute starts no pod that is not on the node before it has been read",
        {{"err", reading.error().message}, {"file", file_.path()}});
    return {};
  }
  const auto aside = file_.PutAside();
  log_.Warn(
      "the saved state cannot be read; evicted pods start at once, and node conditions and "
      "back-offs are forgotten",
      {{"err", reading.error().message}, {"file", aside.value_or(file_.path())}});
  return {};
}

std::optional<KeptState> StateKeeper::TakeLate(Instant now) {
  if (!awaited_until_) return std::nullopt;
  for (KeptState& state : read_late_.TakeAll()) {
    awaited_until_.reset();
    log_.Info("the saved state has been read, and pods are started again",
              {{"file", file_.path()}});
    return std::move(state);
  }
  Late awaited = Late::kAwaited;
  if (now >= *awaited_until_ && late_.compare_exchange_strong(awaited, Late::kGivenUp)) {
    awaited_until_.reset();
    log_.Warn(
        "the saved state still cannot be read; evicted pods start at once, and node conditions and "
        "back-offs are forgotten",
        {{"file", file_.path()}});
  }
  return std::nullopt;
}

bool StateKeeper::Due(KeptChanges changes, Instant now) const {
  if (!loaded_ || file_.path().empty()) return false;
  if (!saved_at_ || changes.evictions != saved_changes_.evictions) return true;
  const Duration since = Elapsed(*saved_at_, now);
  if (awaited_until_ && since >= kLateReadEvery) return true;
  return (changes != saved_changes_ && since >= kSpacing) ||
         ((holds_ || unwritten_) && since >= kRefresh);
}

std::optional<Instant> StateKeeper::NextDeadline(KeptChanges changes) const {
  if (!loaded_ || file_.path().empty()) return std::nullopt;
  if (awaited_until_) {
    return saved_at_ ? std::min(*saved_at_ + kLateReadEvery, *awaited_until_) : *awaited_until_;
  }
  if (!saved_at_) return std::nullopt;
  if (changes != saved_changes_) return *saved_at_ + kSpacing;
  return holds_ || unwritten_ ? std::optional(*saved_at_ + kRefresh) : std::nullopt;
}

void StateKeeper::Save(KeptState state, KeptChanges changes, Instant now) {
  const bool first = !saved_at_;
  const bool was_empty = std::exchange(empty_, state == KeptState{});
  saved_at_ = now;
  saved_changes_ = changes;
  holds_ = !state.node.thresholds.empty() ||
           std::ranges::any_of(state.node.conditions, &KeptCondition::status);
  // An empty state that is written already need not be written again.
  if (empty_ && was_empty && !first && !unwritten_) return;
  if (!thread_) return;
  thread_->Do([this, kept = std::make_shared<const KeptState>(std::move(state)),
               knowing = Knowing()] { Write(*kept, knowing); });
}

void StateKeeper::Finish(const KeptState& state, Duration patience) {
  if (!loaded_ || file_.path().empty()) return;
  if (!thread_ || !thread_->running()) {
    thread_.reset();
    return WriteLast(state, Knowing());
  }
  thread_->Do([this, state, knowing = Knowing()] { WriteLast(state, knowing); });
  const bool written = FinishOrLeave(*thread_, weak_from_this(), patience);
  thread_.reset();
  if (written) return;
  loaded_ = false;  // the file is the thread's
  log_.Warn("the state of the node cannot be saved in time; the next agent has an older one",
            {{"file", file_.path()}, {"waited", FormatDuration(patience)}});
}

void StateKeeper::WriteLast(const KeptState& state, Knowledge knowing) {
  Late awaited = Late::kAwaited;
  late_.compare_exchange_strong(awaited, Late::kGivenUp);
  Write(state, knowing);
}

// False: nobody waits for it any longer.
bool StateKeeper::HandOver(KeptState state) {
  Late awaited = Late::kAwaited;
  if (!late_.compare_exchange_strong(awaited, Late::kRead)) return false;
  read_late_.Put(std::move(state));
  return true;
}

StateKeeper::Knowledge StateKeeper::Knowing() const {
  return awaited_until_ ? Knowledge::kWithoutLate : Knowledge::kAll;
}

StateKeeper::Unread StateKeeper::TryUnread() {
  const auto text = file_.Read();
  if (!text && !IsDamage(text.error())) return Unread::kStill;
  if (text && *text) {
    auto reading = ParseKeptState(**text, clock_);
    if (reading && HandOver(std::move(reading->state))) return Unread::kTaken;
  }
  const bool is_blank = text && !*text;
  const auto aside = is_blank ? Result<std::string>("") : file_.PutAside(".unread");
  if (!aside) return Unread::kStill;
  (void)HandOver({});  // there is nothing to wait for
  if (is_blank) return Unread::kOutOfTheWay;
  complaints_.Put({.message = "the saved state that could not be read is kept beside the new one",
                   .err = "it is in " + *aside});
  return Unread::kOutOfTheWay;
}

void StateKeeper::Complain(const std::string& err) {
  if (!err.empty() && !complained_) {
    complaints_.Put({.message = fmt::format("the state of the node cannot be saved; {}", kWithout),
                     .err = err});
  }
  complained_ = !err.empty();
}

void StateKeeper::Write(const KeptState& state, Knowledge knowing) {
  if (knowing == Knowledge::kWithoutLate && late_ == Late::kRead) {
    unwritten_ = true;  // what has been read late must not be lost
    return;
  }
  if (const Unread unread = unread_ ? TryUnread() : Unread::kOutOfTheWay;
      unread != Unread::kOutOfTheWay) {
    unwritten_ = true;
    unread_ = unread == Unread::kStill;
    if (!unread_) return;  // this state knows nothing of it yet
    return Complain(file_.path() + " could not be read and is left as it is");
  }
  unread_ = false;
  const KeptStateText text = FormatKeptState(state, clock_, SlotFile::kMostBytes);
  // If no space can be reserved, there may still be enough for this text.
  (void)file_.Reserve();
  const auto written = file_.Write(text.text);
  unwritten_ = !written;
  if (!written) return Complain(written.error().message);
  Complain(text.left_out == 0 ? ""
                              : fmt::format("there is no room for {} of {} pods", text.left_out,
                                            state.pods.size()));
}

void StateKeeper::LogComplaints() {
  for (const Complaint& complaint : complaints_.TakeAll()) {
    log_.Warn(complaint.message, {{"err", complaint.err}});
  }
}

}  // namespace jettison
