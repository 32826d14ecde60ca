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
  auto text = file_.Read();
  if (text && !*text) return {};
  auto reading = text ? ParseKeptState(**text, clock_) : Fail(text.error());
  if (reading) {
    for (const std::string& fault : reading->faults) {
      log_.Warn("a part of the saved state is damaged and is ignored",
                {{"file", file_.path()}, {"err", fault}});
    }
    return std::move(reading->state);
  }
  // A file that cannot be read at the moment is not damaged; the next save replaces it.
  const bool damaged = reading.error().code == ErrorCode::kInvalidArgument;
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

void StateKeeper::Write(const KeptState& state) {
  const KeptStateText text = FormatKeptState(state, clock_, SlotFile::kMostBytes);
  // If no space can be reserved, there may still be enough for this text.
  (void)file_.Reserve();
  const auto written = file_.Write(text.text);
  unwritten_ = !written;
  std::string complaint;
  if (!written) {
    complaint = written.error().message;
  } else if (text.left_out > 0) {
    complaint = fmt::format("there is no room for {} of {} pods", text.left_out, state.pods.size());
  }
  if (!complaint.empty() && !complained_) complaints_.Put(complaint);
  complained_ = !complaint.empty();
}

void StateKeeper::LogComplaints() {
  for (const std::string& complaint : complaints_.TakeAll()) {
    log_.Warn(fmt::format("the state of the node cannot be saved; {}", kWithout),
              {{"err", complaint}});
  }
}

}  // namespace jettison
