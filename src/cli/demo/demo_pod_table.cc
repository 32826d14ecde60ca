#include "cli/demo/demo_pod_table.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "cli/demo/stage/demo_order.h"
#include "cli/terminal/amount_text.h"
#include "core/report/cycle_report.h"

namespace jettison {
namespace {

constexpr Nanos kNanosPerUnit = 1'000'000'000;

// Where columns begin, or end for figures.
constexpr std::size_t kName = 2;
constexpr std::size_t kQos = 11;
constexpr std::size_t kPriorityEnd = 32;
constexpr std::size_t kMemoryEnd = 41;
constexpr std::size_t kRequestEnd = 50;
constexpr std::size_t kDiskEnd = 59;
constexpr std::size_t kProcessesEnd = 65;
constexpr std::size_t kState = 67;

TextLine Header() {
  TextLine line;
  line.To(kName).Add("POD", Ink::kFaint).To(kQos).Add("QOS", Ink::kFaint);
  line.RightTo(kPriorityEnd, "PRIORITY", Ink::kFaint);
  line.RightTo(kMemoryEnd, "MEMORY", Ink::kFaint).RightTo(kRequestEnd, "REQUEST", Ink::kFaint);
  line.RightTo(kDiskEnd, "DISK", Ink::kFaint).RightTo(kProcessesEnd, "PROCS", Ink::kFaint);
  line.To(kState).Add("STATE", Ink::kFaint);
  return line;
}

std::optional<std::int64_t> Signed(std::optional<std::uint64_t> amount) {
  if (!amount) return std::nullopt;
  return static_cast<std::int64_t>(*amount);
}

std::optional<std::int64_t> MemoryRequest(const PodView& pod, const DemoFacts& facts) {
  const auto found = facts.find(pod.name);
  if (found == facts.end() || found->second.memory_request == 0) return std::nullopt;
  return static_cast<std::int64_t>(found->second.memory_request / kNanosPerUnit);
}

bool IsHere(const PodView& pod) {
  return pod.activity == PodActivity::kRunning || pod.activity == PodActivity::kStarting;
}

bool IsBeingEvicted(const PodView& pod) {
  return pod.status.reason == kReasonEvicted &&
         (pod.activity == PodActivity::kTerminating || pod.activity == PodActivity::kCleaningUp);
}

Ink StateInk(const PodView& pod) {
  if (IsBeingEvicted(pod)) return Ink::kBadStrong;
  if (pod.activity == PodActivity::kRunning) return Ink::kGood;
  return pod.evictions > 0 ? Ink::kBad : Ink::kWarning;
}

// Everything but the mark in front.
void AddRow(TextLine& line, const PodView& pod, const DemoFacts& facts, Instant now) {
  const Ink ink = IsHere(pod) ? Ink::kPlain : Ink::kFaint;
  const auto request = MemoryRequest(pod, facts);
  const auto memory = Signed(pod.memory_working_set_bytes);
  const bool beyond = memory.value_or(0) > request.value_or(0);
  line.To(kName).Add(pod.name, IsHere(pod) ? Ink::kStrong : Ink::kFaint);
  line.To(kQos).Add(NameOf(pod.qos), ink);
  line.RightTo(kPriorityEnd, fmt::format("{}", pod.priority), ink);
  line.RightTo(kMemoryEnd, BytesText(memory), beyond ? Ink::kWarning : ink);
  line.RightTo(kRequestEnd, request ? BytesText(request) : "none", ink);
  line.RightTo(
      kDiskEnd,
      BytesText(pod.ephemeral_storage ? Signed(pod.ephemeral_storage->used_bytes) : std::nullopt),
      ink);
  line.RightTo(kProcessesEnd,
               pod.process_count ? fmt::format("{}", *pod.process_count) : std::string("-"), ink);
  line.To(kState).Add(PodStateText(pod, now), StateInk(pod));
}

}  // namespace

std::string PodStateText(const PodView& pod, Instant now) {
  if (IsBeingEvicted(pod)) return "evicted";
  if (pod.activity == PodActivity::kRunning) return pod.evictions > 0 ? "running again" : "running";
  if (pod.activity != PodActivity::kWaiting || pod.evictions == 0) {
    return std::string(NameOf(pod.activity));
  }
  if (!pod.comes_back_at || *pod.comes_back_at <= now) return "held back";
  const auto left = std::chrono::ceil<std::chrono::seconds>(*pod.comes_back_at - now);
  return fmt::format("back in {} s", left.count());
}

std::vector<TextLine> PodTable(const Snapshot& snapshot, const DemoFacts& facts,
                               const PodTableOptions& options) {
  std::vector<TextLine> lines = {Header()};
  for (const PodView* pod : InEvictionOrder(snapshot.pods, facts, options.signal)) {
    TextLine& line = lines.emplace_back();
    if (pod->name == options.marked) line.Add(options.style.unicode ? "▶" : ">", Ink::kBadStrong);
    AddRow(line, *pod, facts, snapshot.at);
  }
  return lines;
}

}  // namespace jettison
