#include "agent/reclaim/image_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <variant>

namespace jettison {
namespace {

constexpr std::string_view kDefaultRegistry = "docker.io";

bool IsRegistry(std::string_view part) {
  const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return part.find_first_of(".:") != std::string_view::npos || part == "localhost" ||
         std::ranges::any_of(part, capital);
}

// With the tag "latest" where there is neither tag nor digest.
std::string WithTag(std::string_view path) {
  const auto last = path.rfind('/');
  const auto tag = path.find(':', last == std::string_view::npos ? 0 : last);
  const auto digest = path.find('@');
  if (digest != std::string_view::npos) {
    return std::string(path.substr(0, std::min(tag, digest))) + std::string(path.substr(digest));
  }
  return std::string(path) + (tag == std::string_view::npos ? ":latest" : "");
}

// From one periodic collection to the next; the first one follows the start by as much. (kubelet:
// ImageGCPeriod)
constexpr Duration kPeriod = std::chrono::minutes(5);
// How long the store may take to answer, and the needed images to be known, before a collection is
// given up.
constexpr Duration kListPatience = std::chrono::seconds(30);
constexpr Duration kRemovePatience = std::chrono::minutes(2);
constexpr Duration kNeededPatience = std::chrono::seconds(5);
// A listing older than this does not show what is in use now.
constexpr Duration kListingHolds = std::chrono::seconds(1);
// How soon the images are listed again if the first listing failed.
constexpr Duration kNextTry = std::chrono::seconds(30);

// (kubelet 1.36: Kubelet.StartGarbageCollection)
Event ImageGcFailed(const Error& error) {
  return {.object = "node",
          .type = EventType::kWarning,
          .reason = "ImageGCFailed",
          .message = error.message,
          .annotations = {}};
}

// Images without an ID are left out, because they cannot be removed. Those are in use that `named`
// contains, by ID or by reference.
std::vector<ImageRecord> ListedOf(const std::vector<StoredImage>& stored,
                                  const std::set<std::string, std::less<>>& named) {
  const auto is_named = [&](const std::string& name) { return named.contains(name); };
  std::vector<ImageRecord> listed;
  for (const StoredImage& image : stored) {
    if (image.id.empty()) continue;
    listed.push_back(
        {.id = image.id,
         .size_bytes = image.size_bytes,
         .last_used = std::nullopt,
         .in_use = is_named(image.id) || std::ranges::any_of(image.references, is_named),
         .pinned = image.pinned});
  }
  return listed;
}

Error NeededAreNotKnown() {
  return {ErrorCode::kUnavailable,
          "the manifests have not been read, so it is not known which images must stay"};
}

// What does not change when an image that is in use is looked at again.
auto LastingFacts(const ImageRecord& record) {
  return std::tuple(std::string_view(record.id), record.first_detected, record.in_use,
                    record.in_use ? std::nullopt : record.last_used);
}

}  // namespace

std::string FullImageName(std::string_view name) {
  std::string_view registry = kDefaultRegistry;
  std::string_view path = name;
  const auto slash = name.find('/');
  if (slash != std::string_view::npos && IsRegistry(name.substr(0, slash))) {
    registry = name.substr(0, slash);
    path = name.substr(slash + 1);
  }
  if (registry == "index.docker.io") registry = kDefaultRegistry;
  std::string full(registry);
  full += '/';
  if (registry == kDefaultRegistry && path.find('/') == std::string_view::npos) full += "library/";
  return full + WithTag(path);
}

ImageCollector::ImageCollector(ImageCollectorSettings settings,
                               ImageCollectorDependencies dependencies)
    : settings_(settings), dependencies_(std::move(dependencies)) {}

// With the threshold at 100% and no maximum age there is nothing to collect. (kubelet 1.36:
// Kubelet.StartGarbageCollection)
bool ImageCollector::Collects() const {
  return settings_.policy.high_threshold_percent < 100 ||
         settings_.policy.max_age != Duration::zero();
}

void ImageCollector::Advance(Instant now) {
  if (!began_) {
    began_ = now;
    next_look_ = now;
    next_collection_ = now + kPeriod;
  }
  if (wait_ == Wait::kSettling) {
    if (settling_->next_look() <= now) LookAtSpace(now);
  } else if (wait_ == Wait::kNeeded) {
    LookForNeeded(now);
  } else if (wait_ != Wait::kNothing && deadline_ <= now) {
    ++(wait_ == Wait::kRemoving ? counters_.remove_errors : counters_.list_errors);
    GiveUp({ErrorCode::kDeadlineExceeded, wait_ == Wait::kRemoving
                                              ? "the runtime does not finish removing an image"
                                              : "the runtime does not list its images"});
  }
  if (task_ != Task::kNone) return;
  if (next_collection_ <= now) {
    Start(Collects() ? Task::kCollect : Task::kLook);
  } else if (!seen_ && next_look_ <= now) {
    Start(Task::kLook);
  }
}

std::optional<Instant> ImageCollector::NextDeadline() const {
  if (!began_) return std::nullopt;
  if (wait_ == Wait::kSettling) return settling_->next_look();
  if (wait_ != Wait::kNothing) return deadline_;
  return seen_ ? next_collection_ : std::min(next_look_, next_collection_);
}

void ImageCollector::DeleteUnused() {
  if (DeletingUnused()) return;
  wanted_ = true;
  if (task_ == Task::kNone) Start(Task::kDeleteUnused);
}

void ImageCollector::Start(Task task) {
  task_ = task;
  if (task == Task::kDeleteUnused) wanted_ = false;
  freed_bytes_ = 0;
  if (next_collection_ <= dependencies_.clock.Now()) {
    next_collection_ = dependencies_.clock.Now() + kPeriod;
  }
  List(Wait::kListing);
}

template <typename Answer>
auto ImageCollector::Guarded(void (ImageCollector::*take)(const Answer&)) {
  return lifetime_.Guard([this, take, call = ++call_](const Answer& answer) {
    if (call == call_) (this->*take)(answer);
  });
}

void ImageCollector::List(Wait wait) {
  wait_ = wait;
  deadline_ = dependencies_.clock.Now() + kListPatience;
  dependencies_.images.List(Guarded(&ImageCollector::TakeListing));
}

void ImageCollector::TakeListing(const Listing& listing) {
  if (!listing) {
    ++counters_.list_errors;
    return GiveUp(listing.error().In("list images"));
  }
  const auto needed = Needed();
  See(*listing, needed.value_or(std::vector<std::string>()));
  if (task_ == Task::kLook) return End({});
  if (!needed) return AwaitNeeded();
  if (wait_ == Wait::kChecking) return TryRemove();
  StartRun();
}

std::optional<std::vector<std::string>> ImageCollector::Needed() const {
  return dependencies_.needed ? dependencies_.needed() : std::vector<std::string>();
}

// At the start of the agent the manifests are read within a moment, which is no reason to evict a
// pod instead. A run that has begun does not wait, because its figures would become old.
void ImageCollector::AwaitNeeded() {
  if (wait_ == Wait::kChecking) return GiveUp(NeededAreNotKnown());
  wait_ = Wait::kNeeded;
  deadline_ = dependencies_.clock.Now() + kNeededPatience;
}

void ImageCollector::LookForNeeded(Instant now) {
  if (Needed()) return List(Wait::kListing);
  if (deadline_ <= now) GiveUp(NeededAreNotKnown());
}

void ImageCollector::See(const std::pair<std::vector<StoredImage>, ImagesInUse>& listing,
                         const std::vector<std::string>& needed) {
  const auto& [stored, in_use] = listing;
  std::set<std::string, std::less<>> named(in_use.ids.begin(), in_use.ids.end());
  for (const std::string& name : needed) {
    named.insert(name);
    named.insert(FullImageName(name));
  }
  const Instant now = dependencies_.clock.Now();
  const std::vector<ImageRecord> before = images_;
  // Images in the first listing count as older than any listing, unless there is a record of them.
  const bool is_dated = seen_ || settings_.others_pull;
  images_ = DetectImages(images_, ListedOf(stored, named),
                         is_dated ? std::optional(now) : std::nullopt, now);
  seen_ = true;
  say_unlisted_.Reset();
  listed_at_ = now;
  if (!std::ranges::equal(before, images_, {}, LastingFacts, LastingFacts)) ++changes_;
}

void ImageCollector::StartRun() {
  const ImageGcMode mode =
      task_ == Task::kDeleteUnused ? ImageGcMode::kDeleteUnused : ImageGcMode::kGarbageCollect;
  const Instant now = dependencies_.clock.Now();
  run_.emplace(settings_.policy, mode, images_,
               ImageGcTimes{.now = now, .uptime = now - began_.value_or(now)});
  Go();
}

// The next step of the run. After removals it waits until their space is free before it measures.
void ImageCollector::Go() {
  wait_ = Wait::kNothing;
  if (std::holds_alternative<RemoveImage>(run_->step())) {
    if (dependencies_.clock.Now() - listed_at_ > kListingHolds) return List(Wait::kChecking);
    return TryRemove();
  }
  if (before_) return Settle();
  if (std::holds_alternative<MeasureImageFs>(run_->step())) return Measure();
  EndRun(std::get<ImageGcOutcome>(run_->step()));
}

// The image may have come into use since the run began, and the store would remove it all the same.
void ImageCollector::TryRemove() {
  while (const auto* const step = std::get_if<RemoveImage>(&run_->step())) {
    const auto image = std::ranges::find(images_, step->id, &ImageRecord::id);
    if (image == images_.end()) {
      run_->Removed();
    } else if (image->in_use || image->pinned) {
      run_->RemoveFailed({ErrorCode::kUnavailable, fmt::format("{} is now in use", step->id)});
    } else {
      return Remove(step->id);
    }
  }
  Go();
}

void ImageCollector::Remove(const std::string& id) {
  if (!before_) before_ = dependencies_.figures.ReadNode();
  wait_ = Wait::kRemoving;
  deadline_ = dependencies_.clock.Now() + kRemovePatience;
  dependencies_.images.Remove(id, Guarded(&ImageCollector::TakeRemoval));
}

void ImageCollector::TakeRemoval(const Result<void>& removed) {
  const RemoveImage step = std::get<RemoveImage>(run_->step());
  if (removed) {
    dependencies_.log.Info("image garbage collector: removed image",
                           {{"imageID", step.id}, {"size", fmt::to_string(step.size_bytes)}});
    ++counters_.removed[static_cast<std::size_t>(step.reason)];
    std::erase_if(images_, [&](const ImageRecord& image) { return image.id == step.id; });
    ++changes_;
    run_->Removed();
  } else {
    ++counters_.remove_errors;
    dependencies_.log.Warn("image garbage collector: image cannot be removed",
                           {{"imageID", step.id}, {"err", removed.error().message}});
    run_->RemoveFailed(removed.error().In(step.id));
  }
  Go();
}

void ImageCollector::Measure() {
  const NodeStats stats = dependencies_.figures.ReadNode();
  if (stats.image_fs) {
    run_->Measured({.capacity = stats.image_fs->capacity_bytes.value_or(0),
                    .available = stats.image_fs->available_bytes.value_or(0)});
  } else {
    run_->MeasureFailed(
        {ErrorCode::kUnavailable, "the figures of the image file system cannot be read"});
  }
  Go();
}

void ImageCollector::Settle() {
  wait_ = Wait::kSettling;
  settling_.emplace(*before_, dependencies_.clock.Now());
}

void ImageCollector::LookAtSpace(Instant now) {
  const NodeStats stats = dependencies_.figures.ReadNode();
  if (!settling_->Look(stats, now)) return;
  const std::uint64_t freed = settling_->freed_bytes().value_or(0);
  freed_bytes_ += freed;
  counters_.freed_bytes += freed;
  settling_.reset();
  before_.reset();
  Go();
}

// After a missing answer, the store is not asked for the next image. An answer that still arrives
// is ignored.
void ImageCollector::GiveUp(Error error) {
  ++call_;
  End(Fail(std::move(error)));
}

void ImageCollector::EndRun(const ImageGcOutcome& outcome) {
  if (outcome.event) dependencies_.events.Add(dependencies_.clock.Now(), {}, *outcome.event);
  if (!outcome.removed.empty()) {
    dependencies_.log.Info("image garbage collector: images removed",
                           {{"why", task_ == Task::kDeleteUnused ? "disk pressure" : "periodic"},
                            {"images", fmt::to_string(outcome.removed.size())},
                            {"size", fmt::to_string(outcome.freed_bytes)},
                            {"freed", fmt::to_string(freed_bytes_)}});
  }
  End(outcome.error ? Result<void>(Fail(*outcome.error)) : Result<void>());
}

void ImageCollector::End(const Result<void>& result) {
  const Task ended = std::exchange(task_, Task::kNone);
  wait_ = Wait::kNothing;
  run_.reset();
  before_.reset();
  settling_.reset();
  switch (ended) {
    case Task::kNone: break;
    case Task::kLook:
      next_look_ = dependencies_.clock.Now() + kNextTry;
      if (!result && say_unlisted_.Take()) {
        dependencies_.log.Warn("images cannot be looked at", {{"err", result.error().message}});
      }
      break;
    case Task::kCollect: LogCollected(result); break;
    case Task::kDeleteUnused: deleted_ = result; break;
  }
  if (wanted_) Start(Task::kDeleteUnused);
}

// A single failure is no event: figures may not be there yet. (kubelet 1.36:
// Kubelet.StartGarbageCollection)
void ImageCollector::LogCollected(const Result<void>& result) {
  if (result) {
    if (failed_before_) dependencies_.log.Info("Image garbage collection succeeded");
  } else if (failed_before_) {
    dependencies_.log.Error("Image garbage collection failed multiple times in a row",
                            {{"err", result.error().message}});
    dependencies_.events.Add(dependencies_.clock.Now(), {}, ImageGcFailed(result.error()));
  } else {
    dependencies_.log.Warn("Image garbage collection failed once",
                           {{"err", result.error().message}});
  }
  failed_before_ = !result;
}

}  // namespace jettison
