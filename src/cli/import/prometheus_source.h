#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/import/import.h"
#include "core/metric_series/metric_series.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sim/imported/series.h"

namespace jettison {

// Selectors in PromQL that match what tells which node is what: nodes, instances, pods.
[[nodiscard]] std::vector<std::string> DiscoveryQueries(const std::set<std::string>& nodes);

// Selectors that together match all series of a node that are read; none matches what another one
// does. `directory` has learned what those above have found.
[[nodiscard]] std::vector<std::string> NodeQueries(const std::string& node,
                                                   const NodeDirectory& directory);

// A text as a regular expression (RE2) in a string of PromQL that matches it. Characters that
// neither can hold match any.
[[nodiscard]] std::string AsPattern(std::string_view text);

// Reads samples from a Prometheus over HTTP, as they were scraped (a range selector in an instant
// query), so that Prometheus fills in nothing. A query whose answer would be too large is split in
// halves.
class PrometheusSource {
 public:
  // How often the same is asked for before it is given up.
  static constexpr int kMostTries = 5;

  // Waits before the same is asked for again.
  using Wait = std::function<void(Duration)>;

  // `request` must outlive this.
  PrometheusSource(const ImportRequest& request, Wait wait)
      : request_(request), wait_(std::move(wait)) {}

  // Which series tell of nodes.
  [[nodiscard]] Result<void> Learn(NodeDirectory& directory);
  // The samples of a node.
  [[nodiscard]] Result<void> ReadInto(const std::string& node, const NodeDirectory& directory,
                                      SeriesSink& sink);

  // What Prometheus said beside its answers since this was asked for last: that a part of them is
  // missing, as where a store of Thanos is away.
  [[nodiscard]] std::set<std::string> TakeWarnings() { return std::exchange(warnings_, {}); }

 private:
  struct Piece {
    Instant from;  // samples behind it
    Instant to;    // up to it
  };
  // What a query is worth that was not answered in time.
  enum class Late : std::uint8_t { kAskAgain, kAskForLess };
  [[nodiscard]] Result<std::string> Ask(const std::string& path, const std::string& form,
                                        Late late);
  [[nodiscard]] Result<void> ReadQuery(const std::string& query, SeriesSink& sink,
                                       const std::function<void(Instant)>& tell);
  // The most samples that a series had.
  [[nodiscard]] Result<std::size_t> ReadPiece(const std::string& query, Piece piece, Late late,
                                              SeriesSink& sink);

  const ImportRequest& request_;
  const Wait wait_;
  std::set<std::string> warnings_;
};

}  // namespace jettison
