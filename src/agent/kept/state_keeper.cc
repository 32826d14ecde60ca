#include "agent/kept/state_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/kept/kept_state_text.h"

namespace jettison {
namespace {

// Changes come in bursts, which one write covers.
constexpr Duration kSpacing = std::chrono::milliseconds(100);
// What is observed in every pass is written this often.
constexpr Duration kRefresh = std::chrono::seconds(10);

constexpr std::string_view kWithout =
    "if the agent restarts now, evicted pods start at once, and node conditions and back-offs are "
    "forgotten";

}  // namespace

KeptState StateKeeper::Load() {
  loaded_ = true;
  if (file_.path().empty()) return {};
  const auto text = file_.Read();
  if (text && !*text) return {};
  auto reading = text ? ParseKeptState(**text, clock_) : Fail(text.error());
  if (!reading) {
    log_.Warn(
        "the saved state cannot be read; evicted pods start at once, and node conditions and "
        "back-offs are forgotten",
        {{"err", reading.error().message}, {"file", file_.PutAside()}});
    return {};
  }
  for (const std::string& fault : reading->faults) {
    log_.Warn("a part of the saved state is damaged and is ignored",
              {{"file", file_.path()}, {"err", fault}});
  }
  return std::move(reading->state);
}

bool StateKeeper::Due(KeptChanges changes, Instant now) const {
  if (!loaded_ || file_.path().empty()) return false;
  if (!saved_at_ || changes.evictions != saved_changes_.evictions) return true;
  const Duration since = Elapsed(*saved_at_, now);
  return (changes != saved_changes_ && since >= kSpacing) ||
         ((holds_ || unwritten_) && since >= kRefresh);
}

std::optional<Instant> StateKeeper::NextDeadline(KeptChanges changes) const {
  if (!loaded_ || file_.path().empty()) return std::nullopt;
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
  if (file_.path().empty()) return;
  writes_.DoInstead(
      [this, kept = std::make_shared<const KeptState>(std::move(state))] { Write(*kept); });
}

void StateKeeper::Finish(const KeptState& state, Duration patience) {
  if (!loaded_ || file_.path().empty()) return;
  if (!writes_.running()) return Write(state);
  writes_.DoInstead([this, state] { Write(state); });
  if (FinishOrLeave(writes_, weak_from_this(), patience)) return;
  loaded_ = false;  // the file is the thread's
  log_.Warn("the state of the node cannot be saved in time; the next agent has an older one",
            {{"file", file_.path()}, {"waited", FormatDuration(patience)}});
}

void StateKeeper::Complain(const std::string& err) {
  if (!err.empty() && !complained_) complaints_.Put(err);
  complained_ = !err.empty();
}

void StateKeeper::Write(const KeptState& state) {
  const KeptStateText text = FormatKeptState(state, clock_, KeptFile::kMostBytes);
  const auto written = file_.Write(text.text);
  unwritten_ = !written;
  if (!written) return Complain(written.error().message);
  Complain(text.left_out == 0 ? ""
                              : fmt::format("there is no room for {} of {} pods", text.left_out,
                                            state.pods.size()));
}

void StateKeeper::LogComplaints() {
  for (const std::string& err : complaints_.TakeAll()) {
    log_.Warn(fmt::format("the state of the node cannot be saved; {}", kWithout), {{"err", err}});
  }
}

}  // namespace jettison
