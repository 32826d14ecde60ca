#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jettison {

// Writes an SVG document of a plot: light, and dark where the system is.
class Svg {
 public:
  static constexpr double kWidth = 800;
  static constexpr double kHeight = 320;
  // Of the plot inside.
  static constexpr double kLeft = 84;
  static constexpr double kRight = 780;
  static constexpr double kTop = 44;
  static constexpr double kBottom = 270;

  struct Point {
    double x = 0;
    double y = 0;
  };

  explicit Svg(std::string_view title);

  void Line(Point from, Point to, std::string_view style);
  void Path(const std::vector<Point>& points, bool closed, std::string_view style);
  void Rect(Point from, Point to, std::string_view style);
  // `about` is shown where a pointer rests on it.
  void Circle(Point at, double radius, std::string_view style, std::string_view about);
  // `anchor`: "start", "middle" or "end".
  void Text(Point at, std::string_view anchor, std::string_view text);
  [[nodiscard]] std::string Finish();

 private:
  std::string out_;
};

// Round figures from 0 to no more than `most`, three to six of them; `base` is what larger units
// are made of: 1000, or 1024 of bytes.
[[nodiscard]] std::vector<double> RoundFigures(double most, double base);

// With what would be markup written as references, and control characters, which XML does not have,
// as U+FFFD.
[[nodiscard]] std::string XmlText(std::string_view text);

}  // namespace jettison
