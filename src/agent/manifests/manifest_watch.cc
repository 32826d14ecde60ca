#include "agent/manifests/manifest_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jettison {
namespace {

// A manifest folder that does not exist yet cannot be watched, and a file that could not be read is
// not reported again; this is how often both are tried again.
constexpr Duration kUnsettledRescan = std::chrono::seconds(1);
// How soon that is where a file is being written: mostly its writer has just closed it.
constexpr Duration kWriterPause = std::chrono::milliseconds(100);

bool HasName(const std::vector<SharedPodFacts>& pods, const Pod& pod) {
  return std::ranges::any_of(pods, [&](const SharedPodFacts& other) {
    return other->pod.name == pod.name && other->pod.namespace_ == pod.namespace_;
  });
}

Fault SameName(const std::string& path, const std::string& name, const std::string& other) {
  return {.file = path,
          .key = "metadata.name",
          .value = name,
          .message = fmt::format("{} has a pod of the same namespace and name; choose another name",
                                 other)};
}

Fault SameUid(const std::string& path, const std::string& uid) {
  return {.file = path,
          .key = "metadata.uid",
          .value = uid,
          .message = "another pod has this UID; choose another UID or leave the field out"};
}

std::string InSeconds(Duration duration) {
  return fmt::format("{} s", std::chrono::ceil<std::chrono::seconds>(duration).count());
}

}  // namespace

SharedPodFacts ManifestPods::Keep(Pod pod) const {
  return std::make_shared<const PodFacts>(FactsOf(std::move(pod), profile_));
}

void ManifestPods::Report(const Fault& fault) const {
  log_.Error("manifest is not valid", {{"file", fault.file},
                                       {"field", fault.key},
                                       {"value", fault.value},
                                       {"problem", fault.message}});
}

std::vector<std::string> ManifestPods::Adopt(const std::vector<Pod>& pods) {
  std::vector<std::string> files;
  for (const Pod& pod : pods) {
    const std::string path = SourceFileOf(pod);
    if (path.empty()) continue;
    File& file = files_[path];
    file.adopted = true;
    if (file.pods.empty()) files.push_back(path);
    // Of two pods with one name, the older is being removed.
    if (HasName(file.pods, pod)) continue;
    file.pods.push_back(Keep(pod));
    holders_.try_emplace(FullName(pod), path);
  }
  return files;
}

void ManifestPods::ExpectNone(Instant now) {
  std::size_t count = 0;
  for (auto& [path, file] : files_) {
    Hold(path, file, now);
    count += file.pods.size();
  }
  if (count == 0) return;
  log_.Warn("staticPodPath is not set, but pods of an earlier agent run; they keep running for now",
            {{"count", fmt::to_string(count)},
             {"endedAfter", InSeconds(ManifestPatience::kAtStart)},
             {"mend", "set staticPodPath again; if the pods are to end, nothing need be done"}});
}

// A file that is not known is missing now, but may appear soon.
void ManifestPods::AdoptLate(const Pod& pod, Instant now) {
  const std::string path = SourceFileOf(pod);
  if (path.empty()) return;
  const bool is_new = !files_.contains(path);
  File& file = files_[path];
  if (is_new) {
    file.adopted = true;
    file.counts_at = now + ManifestPatience::kAtStart;
  }
  const bool keeps = file.adopted || file.faulty || file.counts_at || !file.unreadable.empty();
  if (keeps && !HasName(file.pods, pod)) file.pods.push_back(Keep(pod));
}

void ManifestPods::Apply(std::vector<ManifestNews> news, Instant now) {
  newly_held_ = 0;
  for (ManifestNews& one : news) {
    if (auto* reading = std::get_if<ManifestReading>(&one.now)) {
      TakeReading(one.file, std::move(*reading), now);
    } else if (const auto* unreadable = std::get_if<ManifestUnreadable>(&one.now)) {
      TakeUnreadable(one.file, unreadable->error);
    } else if (const auto* gone = std::get_if<ManifestGone>(&one.now)) {
      TakeGone(one.file, gone->with_folder, now);
    } else if (const auto file = files_.find(one.file); file != files_.end()) {
      // The file is being written; its next content counts.
      auto& counts_at = file->second.counts_at;
      if (counts_at) counts_at = std::max(*counts_at, now + std::chrono::seconds(1));
    }
  }
  if (newly_held_ > 0) LogHeld(now);
}

void ManifestPods::TakeReading(const std::string& path, ManifestReading reading, Instant now) {
  for (const Fault& fault : reading.faults) Report(fault);
  for (const std::string& warning : reading.warnings) {
    log_.Warn("manifest has a field without effect", {{"file", path}, {"field", warning}});
  }
  std::erase_if(conflicts_, [&](const auto& one) { return one.second.fault.file == path; });
  File& file = files_[path];
  file.unreadable.clear();
  file.faulty = !reading.faults.empty();
  if (reading.pods.empty() && !file.faulty && !file.pods.empty()) return Hold(path, file, now);
  if (file.counts_at && !file.went_alone) log_.Info("manifest is back", {{"file", path}});
  file.counts_at.reset();
  std::vector<SharedPodFacts> pods;
  for (Pod& pod : reading.pods) pods.push_back(Keep(std::move(pod)));
  if (file.faulty) {
    for (SharedPodFacts& old : file.pods) {
      if (!HasName(pods, old->pod)) pods.push_back(std::move(old));
    }
  }
  file.pods = std::move(pods);
  file.adopted = file.adopted && file.faulty;
}

void ManifestPods::TakeUnreadable(const std::string& path, const Error& error) {
  File& file = files_[path];
  file.counts_at.reset();  // the file exists
  // Each scan reports it, but it is logged once.
  if (std::exchange(file.unreadable, error.message) == error.message) return;
  Report({.file = path, .key = {}, .value = {}, .message = error.message});
  file.faulty = error.code == ErrorCode::kInvalidArgument;
}

void ManifestPods::TakeGone(const std::string& path, bool with_folder, Instant now) {
  const auto file = files_.find(path);
  if (file == files_.end()) return;
  file->second.unreadable.clear();
  file->second.faulty = false;
  if (file->second.pods.empty()) {
    files_.erase(file);
  } else if (with_folder) {
    Hold(path, file->second, now);
  } else if (!file->second.counts_at) {
    file->second.counts_at = now + ManifestPatience::kAlone;
    file->second.went_alone = true;
  }
}

void ManifestPods::Hold(const std::string& path, File& file, Instant now) {
  if (file.counts_at) return;
  file.went_alone = false;
  file.counts_at = now + (file.adopted ? ManifestPatience::kAtStart : ManifestPatience::kRunning);
  if (newly_held_++ == 0) first_held_ = path;
}

void ManifestPods::LogHeld(Instant now) {
  const Instant counts_at = files_.at(first_held_).counts_at.value_or(now);
  log_.Warn("manifests of running pods are missing or empty; the pods keep running for now",
            {{"count", fmt::to_string(newly_held_)},
             {"file", first_held_},
             {"endedAfter", InSeconds(counts_at - now)},
             {"mend", "put the manifests back; if the pods are to end, nothing need be done"}});
}

bool ManifestPods::Settle(Instant seen) {
  std::size_t count = 0;
  std::size_t said = 0;
  std::string first;
  for (auto at = files_.begin(); at != files_.end();) {
    const auto& [path, file] = *at;
    if (!file.counts_at || *file.counts_at > seen) {
      ++at;
      continue;
    }
    ++count;
    if (!file.went_alone && said++ == 0) first = path;
    at = files_.erase(at);
  }
  if (said > 0) {
    log_.Warn("manifests stayed missing or empty; their pods are ended",
              {{"count", fmt::to_string(said)}, {"file", first}});
  }
  ReportConflicts(seen);
  return count > 0;
}

// One that is over in a moment is none: an editor may have been about to replace a file.
void ManifestPods::ReportConflicts(Instant seen) {
  for (auto& [which, one] : conflicts_) {
    if (!one.since) one.since = seen;
    if (one.said || seen < *one.since + ManifestPatience::kAlone) continue;
    one.said = true;
    Report(one.fault);
  }
}

bool ManifestPods::IsUnsettled() const {
  const bool any_file = std::ranges::any_of(files_, [](const auto& entry) {
    const File& file = entry.second;
    return file.counts_at || (!file.unreadable.empty() && !file.faulty);
  });
  return any_file ||
         std::ranges::any_of(conflicts_, [](const auto& one) { return !one.second.said; });
}

std::string ManifestPods::Problem() const {
  std::size_t missing = 0;
  std::size_t unread = 0;
  const std::string* first = nullptr;
  const File* first_file = nullptr;
  for (const auto& [path, file] : files_) {
    const bool is_unread = !file.unreadable.empty() && !file.faulty;
    const bool is_missing = file.counts_at && !file.went_alone;
    if (!is_missing && !is_unread) continue;
    ++(is_missing ? missing : unread);
    if (first != nullptr) continue;
    first = &path;
    first_file = &file;
  }
  if (first == nullptr) return "";
  std::string problem = fmt::format(
      "{} manifests of running pods are missing or empty, and {} cannot be read; the pods keep "
      "running; the first such manifest is {}",
      missing, unread, *first);
  if (!first_file->unreadable.empty()) problem += ": " + first_file->unreadable;
  return problem;
}

// First those of files whose pods were wanted before, then the others, each by path.
std::vector<ManifestPods::Claim> ManifestPods::Claims() const {
  std::vector<Claim> claims;
  for (const auto& [path, file] : files_) {
    for (const SharedPodFacts& facts : file.pods) claims.push_back({&path, &file, &facts});
  }
  std::ranges::stable_partition(claims, [this](const Claim& claim) {
    const auto holder = holders_.find(FullName((*claim.facts)->pod));
    return holder != holders_.end() && holder->second == *claim.path;
  });
  return claims;
}

std::vector<SharedPodFacts> ManifestPods::Wanted() {
  std::map<std::string, SharedPodFacts> wanted;
  std::map<std::string, std::string> holders;
  std::map<std::string, Claim> by_uid;
  Conflicts conflicts;
  for (const Claim& claim : Claims()) {
    const Pod& pod = (*claim.facts)->pod;
    const std::string name = FullName(pod);
    const auto same_name = holders.find(name);
    const auto same_uid = by_uid.find(pod.uid);
    if (same_name == holders.end() && same_uid == by_uid.end()) {
      wanted.emplace(name, *claim.facts);
      holders.emplace(name, *claim.path);
      by_uid.emplace(pod.uid, claim);
      continue;
    }
    const bool is_named = same_name != holders.end();
    const File& other = is_named ? files_.at(same_name->second) : *same_uid->second.file;
    if (claim.file->IsGoneAlone() || other.IsGoneAlone()) continue;
    Fault fault =
        is_named ? SameName(*claim.path, name, same_name->second) : SameUid(*claim.path, pod.uid);
    auto key = std::tuple(fault.file, fault.key, fault.value);
    auto known = conflicts_.extract(key);
    if (known) {
      conflicts.insert(std::move(known));
    } else {
      conflicts.emplace(std::move(key), Conflict{.fault = std::move(fault), .since = {}});
    }
  }
  holders_ = std::move(holders);
  conflicts_ = std::move(conflicts);
  std::vector<SharedPodFacts> pods;
  for (auto& [name, pod] : wanted) pods.push_back(std::move(pod));
  return pods;
}

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

std::optional<std::vector<SharedPodFacts>> ManifestWatch::Take(Instant now) {
  bool told = false;
  for (ManifestScan& scan : reader_->TakeScans()) {
    NotePath(scan, now);
    watched_ = std::move(scan.watched);
    if (scan.unsettled) RescanWithin(kWriterPause, now);
    // A folder that cannot be read does not mean that there are no pods: those that run continue.
    const bool is_first = scan.listed && !std::exchange(looked_through_, true);
    told = told || is_first || !scan.news.empty();
    pods_.Apply(std::move(scan.news), now);
    if (scan.listed && pods_.Settle(scan.began)) told = true;
  }
  if (watched_) {
    said_unwatched_.Reset();
  } else if (said_unwatched_.Take()) {
    log_.Warn("manifest path cannot be watched, looking again later",
              {{"path", settings_.path}, {"err", watched_.error().message}});
  }
  RescanSoonIfUnsettled(now);
  return told ? std::optional(Wanted()) : std::nullopt;
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
  RescanWithin(kUnsettledRescan, now);
}

void ManifestWatch::RescanWithin(Duration time, Instant now) {
  next_rescan_ = std::min(next_rescan_.value_or(Instant::max()), now + time);
}

std::string ManifestWatch::Problem() const {
  if (!watched_ && watched_.error().code != ErrorCode::kNotFound) return watched_.error().message;
  return pods_.Problem();
}

std::optional<std::vector<SharedPodFacts>> ManifestWatch::Advance(Instant now) {
  if (!next_rescan_ || now < *next_rescan_) return std::nullopt;
  if (reader_ == nullptr) return SettleWithoutPath(now);
  Rescan();
  return std::nullopt;
}

std::optional<std::vector<SharedPodFacts>> ManifestWatch::SettleWithoutPath(Instant now) {
  const bool told = pods_.Settle(now);
  next_rescan_.reset();
  auto wanted = pods_.Wanted();
  if (!wanted.empty()) next_rescan_ = now + kUnsettledRescan;
  return told ? std::optional(std::move(wanted)) : std::nullopt;
}

void ManifestWatch::Rescan(std::vector<std::string> expect) {
  reader_->Look(std::move(expect));
  next_rescan_ = clock_.Now() + settings_.rescan_every;
}

}  // namespace jettison
