#pragma once

#include <string>
#include <string_view>

namespace jettison {

// A bar on standard error, where that is a terminal; it is gone when this is.
class ProgressBar {
 public:
  explicit ProgressBar(bool shown);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `share` of the work, from 0 to 1; `what` stands behind it.
  void Draw(double share, std::string_view what = "");
  // Makes room for other lines on standard error, until it is drawn again.
  void Clear();

 private:
  bool shown_;
  int percent_ = -1;  // as it was drawn last
  std::string what_;  // the same
};

}  // namespace jettison
