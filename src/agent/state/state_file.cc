#include "agent/state/state_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "kernel/files/files.h"

namespace jettison {
namespace {

// Changes come in bursts, which one write covers.
constexpr Duration kSpacing = std::chrono::milliseconds(100);
// What is observed in every pass is written this often, and what could not be written is tried.
constexpr Duration kRefresh = std::chrono::seconds(10);
constexpr Duration kRefreshOfAll = std::chrono::hours(1);

// Blank lines reserve the space of the file.
Result<std::optional<AgentState>> StateIn(const std::string& path, const Clock& clock) {
  auto text = kernel::ReadFile(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!text) return Fail(text.error());
  text->resize(text->find_last_not_of('\n') + 1);
  if (text->empty()) return std::nullopt;
  auto state = ParseState(*text, clock);
  if (!state) return Fail(state.error());
  return *std::move(state);
}

// Returns the new path, or, where the file cannot be moved, the old one.
std::string MovedAside(const std::string& path) {
  std::string aside = path + ".damaged";
  return std::rename(path.c_str(), aside.c_str()) == 0 ? aside : path;
}

}  // namespace

AgentState StateFile::Load() {
  loaded_ = true;
  auto state = StateIn(path_, clock_);
  if (!state) {
    log_.Warn(
        "the saved state cannot be read; evicted pods start at once, unreported evictions of a "
        "kubelet's pods are not reported, and node conditions and back-offs are forgotten",
        {{"err", state.error().message}, {"file", MovedAside(path_)}});
    return {};
  }
  return std::move(*state).value_or(AgentState{});
}

bool StateFile::Due(StateChanges changes, Instant now) const {
  if (!loaded_) return false;
  if (!saved_at_ || changes.evictions != saved_changes_.evictions) return true;
  return NextDeadline(changes) <= now;
}

std::optional<Instant> StateFile::NextDeadline(StateChanges changes) const {
  if (!loaded_ || !saved_at_) return std::nullopt;
  if (changes != saved_changes_) return *saved_at_ + kSpacing;
  return *saved_at_ + (unwritten_ ? kRefresh : save_again_after_);
}

void StateFile::Save(AgentState state, StateChanges changes, Instant now) {
  saved_at_ = now;
  saved_changes_ = changes;
  const bool is_observed = !state.node.thresholds.empty() ||
                           std::ranges::any_of(state.node.conditions, &SavedCondition::status);
  save_again_after_ = is_observed ? kRefresh : kRefreshOfAll;
  writes_.DoInstead(
      [this, saved = std::make_shared<const AgentState>(std::move(state))] { Write(*saved); });
}

void StateFile::Finish(const AgentState& state, Duration patience) {
  if (!loaded_) return;
  if (!writes_.running()) return Write(state);
  writes_.DoInstead([this, state] { Write(state); });
  if (FinishOrLeave(writes_, weak_from_this(), patience)) return;
  loaded_ = false;  // the file is the thread's
  log_.Warn("the state of the node cannot be saved in time; the next agent has an older one",
            {{"file", path_}, {"waited", FormatDuration(patience)}});
}

void StateFile::Write(const AgentState& state) {
  const auto written = kernel::RewriteFile(path_, FormatState(state, clock_), kReservedBytes);
  if (unwritten_.exchange(!written) == written.has_value()) {
    news_.Put(written ? "" : written.error().message);
  }
}

void StateFile::LogNews() {
  for (const std::string& err : news_.TakeAll()) {
    problem_ = err.empty() ? "" : "the state of the node cannot be saved: " + err;
    if (err.empty()) {
      log_.Info("the state of the node can be saved again");
    } else {
      log_.Warn(
          "the state of the node cannot be saved; if the agent restarts now, evicted pods start at "
          "once, evictions that the API server has not been told of are never reported, and node "
          "conditions and back-offs are forgotten",
          {{"err", err}});
    }
  }
}

}  // namespace jettison
