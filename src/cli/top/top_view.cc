#include "cli/top/top_view.h"

#include <algorithm>

namespace jettison {
namespace {

// From the nearest one by itself through all that have thresholds, and back to it.
std::optional<Signal> Next(std::optional<Signal> chosen, const Overview& overview) {
  const auto& signals = overview.signals;
  if (signals.empty()) return std::nullopt;
  if (!chosen) return signals.front().signal;
  auto at = std::ranges::find(signals, *chosen, &OverviewSignal::signal);
  if (at == signals.end() || ++at == signals.end()) return std::nullopt;
  return at->signal;
}

TopAction Scroll(std::size_t to, const Overview& overview, std::size_t page, TopView& view) {
  const std::size_t pods = overview.pods.size();
  view.first_pod = std::min(to, pods > page ? pods - page : 0);
  return TopAction::kDraw;
}

std::size_t Before(std::size_t at, std::size_t by) {
  return at > by ? at - by : 0;
}

TopAction PressCharacter(char c, const Overview& overview, std::size_t page, TopView& view) {
  switch (c) {
    case 'q':
    case 'Q': return TopAction::kQuit;
    case 's':
      view.chosen = Next(view.chosen, overview);
      view.first_pod = 0;
      return TopAction::kAsk;
    case 'p':
    case ' ': view.paused = !view.paused; return view.paused ? TopAction::kDraw : TopAction::kAsk;
    case '?':
    case 'h': view.help = !view.help; return TopAction::kDraw;
    case 'j': return Scroll(view.first_pod + 1, overview, page, view);
    case 'k': return Scroll(Before(view.first_pod, 1), overview, page, view);
    default: return TopAction::kDraw;
  }
}

}  // namespace

TopAction Press(KeyPress key, const Overview& overview, std::size_t page, TopView& view) {
  const std::size_t first = view.first_pod;
  switch (key.key) {
    case Key::kCharacter: return PressCharacter(key.character, overview, page, view);
    case Key::kUp: return Scroll(Before(first, 1), overview, page, view);
    case Key::kDown: return Scroll(first + 1, overview, page, view);
    case Key::kPageUp: return Scroll(Before(first, page), overview, page, view);
    case Key::kPageDown: return Scroll(first + page, overview, page, view);
    case Key::kHome: return Scroll(0, overview, page, view);
    case Key::kEnd: return Scroll(overview.pods.size(), overview, page, view);
  }
  __builtin_unreachable();
}

}  // namespace jettison
