#include "agent/manifests/manifest_watch.h"

#include <algorithm>
#include <utility>

namespace jettison {
namespace {

// A manifest folder that does not exist yet cannot be watched, and a file that could not be read is
// not reported again; this is how often both are tried again.
constexpr Duration kUnsettledRescan = std::chrono::seconds(1);
// How soon a file is looked at again that was left because it has a writer: mostly one that has
// just closed it.
constexpr Duration kWriterPause = std::chrono::milliseconds(100);

}  // namespace

void ManifestWatch::Begin(const std::vector<Pod>& own) {
  std::vector<std::string> files = pods_.Adopt(own);
  if (reader_ == nullptr) {
    const Instant now = clock_.Now();
    looked_through_ = listed_ = true;
    pods_.ExpectNone(now);
    if (!own.empty()) next_rescan_ = now + kUnsettledRescan;
    return;
  }
  Rescan(std::move(files));
}

void ManifestWatch::AdoptLate(const Pod& pod, Instant now) {
  pods_.AdoptLate(pod, now);
  if (reader_ == nullptr) next_rescan_ = now + kUnsettledRescan;
}

bool ManifestWatch::Take(Instant now) {
  bool told = false;
  for (ManifestScan& scan : reader_->TakeScans()) {
    NotePath(scan, now);
    watched_ = std::move(scan.watched);
    if (scan.has_writer) look_again_at_ = now + kWriterPause;
    // A folder that cannot be read does not mean that there are no pods: those that run continue.
    const bool is_first = scan.whole && !std::exchange(looked_through_, true);
    told = told || is_first || !scan.news.empty();
    pods_.Apply(std::move(scan.news), now);
    if (scan.whole && pods_.Settle(scan.began)) told = true;
  }
  if (watched_) {
    said_unwatched_.Reset();
  } else if (said_unwatched_.Take()) {
    log_.Warn("manifest path cannot be watched, looking again later",
              {{"path", settings_.path}, {"err", watched_.error().message}});
  }
  RescanSoonIfUnsettled(now);
  return told;
}

void ManifestWatch::NotePath(const ManifestScan& scan, Instant now) {
  listed_ = scan.listed;
  if (scan.watched || scan.watched.error().code != ErrorCode::kNotFound) {
    missing_since_.reset();
  } else if (!missing_since_) {
    missing_since_ = now;
  }
}

bool ManifestWatch::IsComplete(Instant now) const {
  if (!looked_through_ || !listed_ || pods_.IsUnsettled()) return false;
  return !missing_since_ || now >= *missing_since_ + ManifestPatience::kAtStart;
}

std::vector<SharedPodFacts> ManifestWatch::Wanted() {
  auto wanted = pods_.Wanted();
  RescanSoonIfUnsettled(clock_.Now());
  return wanted;
}

void ManifestWatch::RescanSoonIfUnsettled(Instant now) {
  if (reader_ == nullptr || (watched_ && !pods_.IsUnsettled())) return;
  next_rescan_ = std::min(next_rescan_.value_or(Instant::max()), now + kUnsettledRescan);
}

std::string ManifestWatch::Problem() const {
  if (!watched_ && watched_.error().code != ErrorCode::kNotFound) return watched_.error().message;
  return pods_.Problem();
}

bool ManifestWatch::Advance(Instant now) {
  if (look_again_at_ && now >= *look_again_at_) {
    look_again_at_.reset();
    reader_->LookAgain();
  }
  if (!next_rescan_ || now < *next_rescan_) return false;
  if (reader_ == nullptr) return SettleWithoutPath(now);
  Rescan();
  return false;
}

bool ManifestWatch::SettleWithoutPath(Instant now) {
  const bool told = pods_.Settle(now);
  next_rescan_.reset();
  if (!pods_.Wanted().empty()) next_rescan_ = now + kUnsettledRescan;
  return told;
}

void ManifestWatch::Rescan(std::vector<std::string> expect) {
  reader_->Rescan(std::move(expect));
  next_rescan_ = clock_.Now() + settings_.rescan_every;
}

}  // namespace jettison
