#include "cli/demo/demo_plain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

#include "cli/terminal/amount_text.h"
#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

constexpr Duration kSignalsEvery = std::chrono::seconds(2);

std::string Line(Duration since_start, std::string_view text) {
  return fmt::format("{:>7}  {}", SecondsText(since_start), text);
}

std::string SignalsText(const Snapshot& snapshot) {
  std::vector<std::string> texts;
  for (const ThresholdView* view : ShownThresholds(snapshot)) {
    if (!view->observation) continue;
    const Signal signal = view->threshold.signal;
    const auto least = QuantityOf(view->threshold.value, view->observation->capacity).Value();
    texts.push_back(fmt::format("{} {} (evicts below {})", NameOf(signal),
                                AmountText(signal, view->observation->available),
                                AmountText(signal, least)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::vector<std::string> DemoLines::News(const ScreenContent& content) {
  std::vector<std::string> lines;
  const Snapshot& snapshot = content.snapshot;
  for (const LoggedEvent& logged : snapshot.events) {
    if (logged.sequence <= last_event_) continue;
    last_event_ = logged.sequence;
    const Event& event = logged.event;
    lines.push_back(Line(logged.at - content.started,
                         fmt::format("{} {} {}: {}", NameOf(event.type), event.reason,
                                     logged.pod.empty() ? "node" : logged.pod, event.message)));
  }
  if (act_ != content.act) {
    act_ = content.act;
    lines.push_back(Line(snapshot.at - content.started, ActText(content.act)));
  }
  if (snapshot.passes > 0 && (!signals_told_ || snapshot.at - *signals_told_ >= kSignalsEvery)) {
    signals_told_ = snapshot.at;
    lines.push_back(Line(snapshot.at - content.started, SignalsText(snapshot)));
  }
  return lines;
}

}  // namespace jettison
