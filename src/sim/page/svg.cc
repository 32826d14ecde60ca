#include "sim/page/svg.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace jettison {
namespace {

constexpr std::string_view kStyle =
    "text{font:12px system-ui,sans-serif;fill:#56606f}.title{font-size:14px;font-weight:600;"
    "fill:#161b23}.page{fill:#fff}.grid{stroke:#5a647824}.band{fill:#1b5bc94d;stroke:#1b5bc9}"
    ".hard{stroke:#c01f1c;stroke-width:1.5}.soft{stroke:#8a5300;stroke-width:1.5;"
    "stroke-dasharray:6 4}.bounds{fill:#7a2bb324}.mark{stroke:#7a2bb3;stroke-dasharray:2 3}"
    ".front{fill:none;stroke:#1b5bc9;opacity:.5}.other{fill:#fff;stroke:#56606f}"
    ".on-front{fill:#1b5bc9}.in-force{fill:#8a5300}.chosen{fill:#176c38}"
    "@media(prefers-color-scheme:dark){text{fill:#9ea9b7}.title{fill:#e7eaee}.page{fill:#161b22}"
    ".grid{stroke:#a0afc821}.band{fill:#79b0ff57;stroke:#79b0ff}.hard{stroke:#ff827a}"
    ".soft{stroke:#eab54a}.bounds{fill:#d09bff33}.mark{stroke:#d09bff}.front{stroke:#79b0ff}"
    ".other{fill:#161b22;stroke:#9ea9b7}.on-front{fill:#79b0ff}.in-force{fill:#eab54a}"
    ".chosen{fill:#5fd283}}";

}  // namespace

Svg::Svg(std::string_view title) {
  const std::string safe = XmlText(title);
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n"
      "<rect class=\"page\" width=\"{0}\" height=\"{1}\"/>\n"
      "<text class=\"title\" x=\"12\" y=\"22\">{2}</text>\n",
      kWidth, kHeight, safe, kStyle);
}

void Svg::Line(Point from, Point to, std::string_view style) {
  out_ +=
      fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n",
                  from.x, from.y, to.x, to.y, style);
}

void Svg::Path(const std::vector<Point>& points, bool closed, std::string_view style) {
  if (points.empty()) return;
  out_ += "<path d=\"";
  char step = 'M';
  for (const Point& point : points) {
    out_ += fmt::format("{}{:.1f} {:.1f}", step, point.x, point.y);
    step = 'L';
  }
  out_ += fmt::format("{}\" class=\"{}\"/>\n", closed ? "Z" : "", style);
}

void Svg::Rect(Point from, Point to, std::string_view style) {
  out_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>\n", from.x,
      from.y, to.x - from.x, to.y - from.y, style);
}

void Svg::Circle(Point at, double radius, std::string_view style, std::string_view about) {
  out_ += fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"{}\"><title>{}</title></circle>\n",
      at.x, at.y, radius, style, XmlText(about));
}

void Svg::Text(Point at, std::string_view anchor, std::string_view text) {
  out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", at.x, at.y,
                      anchor, XmlText(text));
}

std::string Svg::Finish() {
  return std::move(out_) + "</svg>\n";
}

std::vector<double> RoundFigures(double most, double base) {
  if (!(most > 0)) return {0};
  const double unit = std::pow(base, std::floor(std::log(most) / std::log(base)));
  const double wanted = most / unit / 5;
  const double power = std::pow(10.0, std::floor(std::log10(wanted)));
  double step = 10 * power * unit;
  for (const double factor : std::array{1.0, 2.0, 2.5, 5.0}) {
    if (factor * power < wanted) continue;
    step = factor * power * unit;
    break;
  }
  std::vector<double> figures;
  for (int i = 0; i * step <= most; ++i) figures.push_back(i * step);
  return figures;
}

std::string XmlText(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          safe += "\xef\xbf\xbd";
        } else {
          safe += c;
        }
    }
  }
  return safe;
}

}  // namespace jettison
