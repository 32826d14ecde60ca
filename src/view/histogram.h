#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "core/units/duration.h"

namespace jettison {

// A histogram of durations, with the bounds of its classes as Prometheus defines them.
struct HistogramView {
  std::span<const Duration> bounds;        // ascending, inclusive
  std::span<const std::uint64_t> classes;  // count of each class, then of longer durations
  Duration sum{0};
};

// Counts durations by class. Its size is fixed, so that Observe allocates nothing. `kBounds` is an
// array with static storage.
template <const auto& kBounds>
class Histogram {
 public:
  void Observe(Duration value) {
    const auto* const bound = std::lower_bound(kBounds.data(), kBounds.data() + kSize, value);
    ++classes_[static_cast<std::size_t>(bound - kBounds.data())];
    sum_ += value;
  }
  [[nodiscard]] HistogramView View() const {
    return {.bounds = kBounds, .classes = classes_, .sum = sum_};
  }
  [[nodiscard]] std::uint64_t Count() const {
    std::uint64_t count = 0;
    for (const std::uint64_t some : classes_) count += some;
    return count;
  }

 private:
  static constexpr std::size_t kSize = std::size(kBounds);
  std::array<std::uint64_t, kSize + 1> classes_{};
  Duration sum_{0};
};

// The client library's own bounds, which the kubelet uses. (client_golang: DefBuckets)
inline constexpr std::array<Duration, 11> kDefaultBounds = {
    std::chrono::milliseconds(5),   std::chrono::milliseconds(10),  std::chrono::milliseconds(25),
    std::chrono::milliseconds(50),  std::chrono::milliseconds(100), std::chrono::milliseconds(250),
    std::chrono::milliseconds(500), std::chrono::seconds(1),        std::chrono::milliseconds(2500),
    std::chrono::seconds(5),        std::chrono::seconds(10)};

// (kubelet: podStartupDurationBuckets)
inline constexpr std::array<Duration, 25> kPodStartBounds = {
    std::chrono::milliseconds(500), std::chrono::seconds(1),    std::chrono::seconds(2),
    std::chrono::seconds(3),        std::chrono::seconds(4),    std::chrono::seconds(5),
    std::chrono::seconds(6),        std::chrono::seconds(8),    std::chrono::seconds(10),
    std::chrono::seconds(20),       std::chrono::seconds(30),   std::chrono::seconds(45),
    std::chrono::seconds(60),       std::chrono::seconds(120),  std::chrono::seconds(180),
    std::chrono::seconds(240),      std::chrono::seconds(300),  std::chrono::seconds(360),
    std::chrono::seconds(480),      std::chrono::seconds(600),  std::chrono::seconds(900),
    std::chrono::seconds(1200),     std::chrono::seconds(1800), std::chrono::seconds(2700),
    std::chrono::seconds(3600)};

// Bounds for a pass, which normally takes microseconds.
inline constexpr std::array<Duration, 13> kPassBounds = {
    std::chrono::microseconds(50),  std::chrono::microseconds(100), std::chrono::microseconds(250),
    std::chrono::microseconds(500), std::chrono::milliseconds(1),   std::chrono::microseconds(2500),
    std::chrono::milliseconds(5),   std::chrono::milliseconds(10),  std::chrono::milliseconds(25),
    std::chrono::milliseconds(50),  std::chrono::milliseconds(100), std::chrono::milliseconds(250),
    std::chrono::seconds(1)};

// Bounds for a walk through the files of all pods.
inline constexpr std::array<Duration, 12> kWalkBounds = {
    std::chrono::milliseconds(1),  std::chrono::milliseconds(5),   std::chrono::milliseconds(10),
    std::chrono::milliseconds(50), std::chrono::milliseconds(100), std::chrono::milliseconds(500),
    std::chrono::seconds(1),       std::chrono::seconds(2),        std::chrono::seconds(5),
    std::chrono::seconds(10),      std::chrono::seconds(30),       std::chrono::seconds(60)};

}  // namespace jettison
