#pragma once

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

 private:
  bool shown_;
  int drawn_ = -1;
};

}  // namespace jettison
