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
  unread_ = !damaged;
  const auto aside = damaged ? file_.PutAside() : Result<std::string>(file_.path());
  log_.Warn(
      "the saved state cannot be read; evicted pods start at once, and node conditions and "
      "back-offs are forgotten",
      {{"err", reading.error().message}, {"file", aside.value_or(file_.path())}});
  return {};
}

bool StateKeeper::Due(KeptChanges changes, Instant now) const {
  if (!loaded_ || file_.path().empty()) return false;
  if (!saved_at_ || changes.evictions != saved_changes_.evictions) return true;
  const Duration since = Elapsed(*saved_at_, now);
  return (changes != saved_changes_ && since >= kSpacing) ||
         ((holds_ || unwritten_) && since >= kRefresh);
}

std::optional<Instant> StateKeeper::NextDeadline(KeptChanges changes) const {
  if (!loaded_ || file_.path().empty() || !saved_at_) return std::nullopt;
  if (changes != saved_changes_) return *saved_at_ + kSpacing;
  return unwritten_ ? std::optional(*saved_at_ + kRefresh) : std::nullopt;
}

void StateKeeper::Save(KeptState state, KeptChanges changes, Instant now) {
  const bool first = !saved_at_;
  const bool was_empty = std::exchange(empty_, state == KeptState{});
  saved_at_ = now;
  saved_changes_ = changes;
  holds_ = std::ranges::any_of(state.node.conditions, &KeptCondition::status);
  // An empty state that is written already need not be written again.
  if (empty_ && was_empty && !first && !unwritten_) return;
  if (!thread_) return;
  thread_->Do([this, kept = std::make_shared<const KeptState>(std::move(state))] { Write(*kept); });
}

void StateKeeper::Finish(const KeptState& state) {
  if (!loaded_ || file_.path().empty()) return;
  thread_.reset();
  Write(state);
}

bool StateKeeper::PutUnreadAside() {
  const auto text = file_.Read();
  if (!text && !IsDamage(text.error())) return false;
  if (text && !*text) return true;
  const auto aside = file_.PutAside(".unread");
  if (!aside) return false;
  complaints_.Put({.message = "the saved state that could not be read is kept beside the new one",
                   .err = "it is in " + *aside});
  return true;
}

void StateKeeper::Complain(const std::string& err) {
  if (!err.empty() && !complained_) {
    complaints_.Put({.message = fmt::format("the state of the node cannot be saved; {}", kWithout),
                     .err = err});
  }
  complained_ = !err.empty();
}

void StateKeeper::Write(const KeptState& state) {
  unread_ = unread_ && !PutUnreadAside();
  if (unread_) {
    unwritten_ = true;
    return Complain(file_.path() + " could not be read and is left as it is");
  }
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
