#include "sim/page/course_plot.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "core/explanation/amounts.h"
#include "core/model/pressure.h"
#include "sim/page/svg.h"

namespace jettison {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::array<Duration, 13> kSteps = {
    seconds(10), seconds(30), minutes(1), minutes(5), minutes(15), minutes(30), hours(1),
    hours(3),    hours(6),    hours(12),  hours(24),  hours(48),   hours(168)};
constexpr std::size_t kMostTimes = 8;

class Axes {
 public:
  explicit Axes(const CoursePlot& plot)
      : from_(plot.course.from()),
        length_(plot.course.width() * static_cast<Duration::rep>(plot.course.stretches().size())) {
    top_ = static_cast<double>(plot.course.extremes().most);
    for (const PlotLine& line : plot.lines) top_ = std::max(top_, static_cast<double>(line.at));
    top_ = std::max(top_ * 1.08, 1.0);
  }

  [[nodiscard]] double X(Instant at) const {
    const double share = SecondsOf(Elapsed(from_, at)) / SecondsOf(length_);
    return Svg::kLeft + std::clamp(share, 0.0, 1.0) * (Svg::kRight - Svg::kLeft);
  }
  [[nodiscard]] double Y(double amount) const {
    return Svg::kBottom - amount / top_ * (Svg::kBottom - Svg::kTop);
  }
  [[nodiscard]] double top() const { return top_; }
  [[nodiscard]] Instant from() const { return from_; }
  [[nodiscard]] Duration length() const { return length_; }

 private:
  Instant from_;
  Duration length_;
  double top_ = 1;
};

std::string AmountOf(Signal signal, double amount) {
  const auto whole = std::llround(amount);
  if (whole == 0) return "0";
  const std::string rough = RoughText(signal, whole);
  return rough.empty() ? AmountText(signal, whole) : rough;
}

bool IsOfBytes(Signal signal) {
  const Resource resource = ResourceOf(signal);
  return !IsPressure(signal) && resource != Resource::kInodes && resource != Resource::kPids;
}

void PutAmounts(const CoursePlot& plot, const Axes& axes, Svg& svg) {
  for (const double amount : RoundFigures(axes.top(), IsOfBytes(plot.signal) ? 1024 : 1000)) {
    const double y = axes.Y(amount);
    svg.Line({Svg::kLeft, y}, {Svg::kRight, y}, "grid");
    svg.Text({Svg::kLeft - 8, y + 4}, "end", AmountOf(plot.signal, amount));
  }
}

void PutTimes(const Axes& axes, Svg& svg) {
  const auto fits = std::ranges::find_if(kSteps, [&](Duration step) {
    return axes.length() / step <= static_cast<Duration::rep>(kMostTimes);
  });
  const Duration step = fits == kSteps.end() ? axes.length() / 8 : *fits;
  const Duration since = axes.from().time_since_epoch();
  Instant at(since - since % step);
  if (at < axes.from()) at += step;
  for (; at <= axes.from() + axes.length(); at += step) {
    const std::string text = FormatInstant(at);
    const std::string shown =
        step >= hours(24) ? text.substr(5, 5) : text.substr(11, step < minutes(1) ? 8 : 5);
    svg.Text({axes.X(at), Svg::kBottom + 20}, "middle", shown);
  }
  svg.Text({Svg::kRight, Svg::kHeight - 10}, "end", "from " + FormatInstant(axes.from()) + ", UTC");
}

// One piece of the band for each run of known stretches; short gaps are bridged.
void PutBand(const CoursePlot& plot, const Axes& axes, Svg& svg) {
  std::vector<Svg::Point> upper;
  std::vector<Svg::Point> lower;
  const auto close = [&] {
    upper.insert(upper.end(), lower.rbegin(), lower.rend());
    svg.Path(upper, true, "band");
    upper.clear();
    lower.clear();
  };
  const auto& stretches = plot.course.stretches();
  const Duration bridged = std::max<Duration>(3 * plot.course.width(), minutes(1));
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (!stretches[i]) continue;
    const auto apart = static_cast<Duration::rep>(last ? i - *last : 1);
    if (plot.course.width() * apart > bridged) close();
    last = i;
    const double x = axes.X(axes.from() + plot.course.width() * static_cast<Duration::rep>(i));
    upper.push_back({x, axes.Y(static_cast<double>(stretches[i]->most))});
    lower.push_back({x, axes.Y(static_cast<double>(stretches[i]->least))});
  }
  close();
}

void PutEvictions(const CoursePlot& plot, const Axes& axes, Svg& svg) {
  for (const SimulatedEviction& eviction : plot.evictions) {
    if (eviction.limit || eviction.signal != plot.signal) continue;
    svg.Rect({axes.X(eviction.when.earliest), Svg::kTop},
             {axes.X(eviction.when.latest), Svg::kBottom}, "bounds");
    const double x = axes.X(eviction.when.at);
    svg.Line({x, Svg::kTop}, {x, Svg::kBottom}, "mark");
  }
}

}  // namespace

std::string CourseSvg(const CoursePlot& plot) {
  Svg svg(plot.title);
  const Axes axes(plot);
  PutAmounts(plot, axes, svg);
  PutTimes(axes, svg);
  PutEvictions(plot, axes, svg);
  PutBand(plot, axes, svg);
  for (const PlotLine& line : plot.lines) {
    const double y = axes.Y(static_cast<double>(line.at));
    svg.Line({Svg::kLeft, y}, {Svg::kRight, y}, line.hard ? "hard" : "soft");
  }
  return svg.Finish();
}

}  // namespace jettison
