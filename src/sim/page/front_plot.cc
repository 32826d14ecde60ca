#include "sim/page/front_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/page/svg.h"
#include "sim/report/report_words.h"

namespace jettison {
namespace {

struct Scales {
  double most_idle = 1;
  double most_evictions = 1;

  [[nodiscard]] double X(double idle) const {
    return Svg::kLeft + idle / most_idle * (Svg::kRight - Svg::kLeft);
  }
  [[nodiscard]] double Y(double evictions) const {
    return Svg::kBottom - evictions / most_evictions * (Svg::kBottom - Svg::kTop);
  }
  [[nodiscard]] Svg::Point At(const PolicyCosts& costs) const {
    return {X(costs.IdleGibHours()), Y(static_cast<double>(costs.evictions))};
  }
};

Scales ScalesOf(const Recommendation& all) {
  Scales scales{.most_idle = 0.001, .most_evictions = 1};
  for (const Recommendation::Tried& tried : all.tried) {
    scales.most_idle = std::max(scales.most_idle, tried.costs.IdleGibHours() * 1.05);
    scales.most_evictions =
        std::max(scales.most_evictions, static_cast<double>(tried.costs.evictions) * 1.08);
  }
  return scales;
}

void PutAxes(const Scales& scales, Svg& svg) {
  for (const double evictions : RoundFigures(scales.most_evictions, 1000)) {
    if (evictions != std::floor(evictions)) continue;
    const double y = scales.Y(evictions);
    svg.Line({Svg::kLeft, y}, {Svg::kRight, y}, "grid");
    svg.Text({Svg::kLeft - 8, y + 4}, "end", fmt::format("{:.0f}", evictions));
  }
  for (const double idle : RoundFigures(scales.most_idle, 1000)) {
    svg.Text({scales.X(idle), Svg::kBottom + 20}, "middle", fmt::format("{:.4g}", idle));
  }
  svg.Text({Svg::kRight, Svg::kHeight - 10}, "end", "memory kept free, GiB h");
}

std::string_view StyleOf(const Recommendation& all, std::size_t i) {
  if (i == all.choice.chosen) return "chosen";
  if (i == 0) return "in-force";
  const bool on_front = std::ranges::find(all.choice.front, i) != all.choice.front.end();
  return on_front ? "on-front" : "other";
}

void PutPoint(const Recommendation& all, std::size_t i, const Scales& scales, Svg& svg) {
  const Recommendation::Tried& tried = all.tried[i];
  svg.Circle(scales.At(tried.costs), StyleOf(all, i) == "other" ? 4 : 6, StyleOf(all, i),
             fmt::format("{}: {}, {}, {:.3f} GiB h kept free", tried.name,
                         CountText(tried.costs.evictions, "eviction"),
                         CountText(tried.costs.oom_kills, "OOM kill"), tried.costs.IdleGibHours()));
}

}  // namespace

std::string FrontSvg(const Recommendation& all) {
  Svg svg("Evictions and memory kept free, of each policy");
  const Scales scales = ScalesOf(all);
  PutAxes(scales, svg);
  std::vector<Svg::Point> front;
  for (const std::size_t i : all.choice.front) front.push_back(scales.At(all.tried[i].costs));
  svg.Path(front, false, "front");
  for (std::size_t i = all.tried.size(); i > 0; --i) PutPoint(all, i - 1, scales, svg);
  return svg.Finish();
}

}  // namespace jettison
