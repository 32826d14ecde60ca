#include "sim/calibrate/calibration.h"

#include <algorithm>

namespace jettison {
namespace {

Duration Off(Instant a, Instant b) {
  const Duration off = Elapsed(a, b);
  return off < Duration{0} ? -off : off;
}

std::optional<double> ShareOf(std::size_t part, std::size_t all) {
  if (all == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(all);
}

// The nearest prediction that is not paired with another truth.
std::optional<std::size_t> NearestOf(const RecordedFact& truth,
                                     const std::vector<SimulatedEviction>& said,
                                     const std::vector<bool>& taken, Duration reach) {
  std::optional<std::size_t> nearest;
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (taken[i] || said[i].uid != truth.uid) continue;
    const Duration off = Off(truth.at, said[i].when.at);
    if (!said[i].when.Holds(truth.at) && off > reach) continue;
    if (!nearest || off < Off(truth.at, said[*nearest].when.at)) nearest = i;
  }
  return nearest;
}

}  // namespace

std::optional<double> Calibration::Recall() const {
  return ShareOf(found, truths);
}

std::optional<double> Calibration::Precision() const {
  return ShareOf(found, said);
}

std::optional<double> Calibration::Coverage() const {
  return ShareOf(inside, found);
}

Calibration Compare(const std::vector<RecordedFact>& truths,
                    const std::vector<SimulatedEviction>& said, Duration reach) {
  Calibration result{.truths = truths.size(), .said = said.size()};
  std::vector<bool> taken(said.size());
  std::vector<Duration> errors;
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const auto nearest = NearestOf(truths[i], said, taken, reach);
    result.pairs.push_back({.truth = i, .said = nearest});
    if (!nearest) continue;
    taken[*nearest] = true;
    ++result.found;
    result.inside += said[*nearest].when.Holds(truths[i].at) ? 1 : 0;
    errors.push_back(Off(truths[i].at, said[*nearest].when.at));
  }
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (!taken[i]) result.pairs.push_back({.truth = {}, .said = i});
  }
  if (errors.empty()) return result;
  std::ranges::sort(errors);
  result.median_error = errors[(errors.size() - 1) / 2];  // half of the errors are not larger
  result.worst_error = errors.back();
  return result;
}

std::vector<RecordedFact> AsFacts(const std::vector<SimulatedEviction>& evictions) {
  std::vector<RecordedFact> facts;
  for (const SimulatedEviction& eviction : evictions) {
    facts.push_back({.at = eviction.when.at,
                     .uid = eviction.uid,
                     .pod = eviction.pod,
                     .signal = eviction.signal,
                     .limit = eviction.limit,
                     .pass = eviction.pass});
  }
  return facts;
}

}  // namespace jettison
