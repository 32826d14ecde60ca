#include "agent/tell/eviction_history.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "kernel/files/files.h"

namespace jettison {
namespace {

constexpr std::string_view kSuffix = ".json";
// The most passes that wait to be explained. There are only more if evictions do not wait for pods
// to end.
constexpr std::size_t kMaxWaiting = 100;
// Longer than any file that is written here: an explanation has at most `order_limit` pods.
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{4} << 20;
// So many numbers are reserved in advance.
constexpr std::uint64_t kCountedAhead = 16;

std::uint64_t NumberOf(std::string_view file) {
  if (!file.ends_with(kSuffix)) return 0;
  return EvictionNumber(file.substr(0, file.size() - kSuffix.size()));
}

Result<KeptEviction> ReadKept(const std::string& path, std::uint64_t number) {
  std::error_code unknown;
  const auto status = std::filesystem::symlink_status(path, unknown);
  if (!std::filesystem::is_regular_file(status)) {
    return Fail(ErrorCode::kInvalidArgument, "it is not a regular file");
  }
  if (std::filesystem::file_size(path, unknown) > kMaxFileBytes) {
    return Fail(ErrorCode::kInvalidArgument, "it is larger than any file that the agent writes");
  }
  auto text = kernel::ReadFile(path);
  if (!text) return Fail(text.error());
  auto kept = ParseKeptEviction(*std::move(text));
  if (kept && kept->number != number) {
    return Fail(ErrorCode::kInvalidArgument, "it holds another eviction, " + kept->id);
  }
  return kept;
}

// How many of the oldest do not fit.
std::size_t CountBeyond(const KeptEvictions& kept, const EvictionHistorySettings& settings) {
  std::size_t bytes = 0;
  std::size_t fitting = 0;
  for (auto each = kept.rbegin(); each != kept.rend(); ++each) {
    bytes += (*each)->Bytes();
    const bool fits = fitting < settings.max_evictions && bytes <= settings.max_bytes;
    if (!fits && fitting > 0) break;
    ++fitting;
  }
  return kept.size() - fitting;
}

}  // namespace

EvictionHistory::EvictionHistory(EvictionHistorySettings settings, const Log& log)
    : settings_(std::move(settings)),
      log_(log),
      drafts_(settings_.folder + ".reserve", settings_.reserved_files, settings_.reserved_bytes),
      counter_(settings_.folder + ".reserve/counter"),
      writer_(std::make_unique<BackgroundThread>(
          ThreadPurpose{"explain-write", "explanations of evictions do not survive a restart"})),
      explainer_(std::make_unique<BackgroundThread>(
          ThreadPurpose{"explain", "evictions are explained when the agent stops"})) {
  if (settings_.folder.empty()) return;
  last_number_ = ReadCounter(log);
  ReadFolder(log);
  writer_->Do([this] { WriteAll(); });
}

EvictionHistory::~EvictionHistory() {
  explainer_.reset();
  ExplainAll();
  writer_.reset();
  WriteAll();
  // No further number is used, so the reserved ones need not be skipped.
  if (counted_to_ > last_number_) (void)counter_.Write(last_number_);
}

std::uint64_t EvictionHistory::ReadCounter(const Log& log) const {
  const auto number = counter_.Read();
  if (number) return number->value_or(0);
  if (number.error().code != ErrorCode::kInvalidArgument) {
    log.Warn(
        "the number of the last eviction cannot be read; the agent takes it from the files of past "
        "evictions",
        {{"err", number.error().message}});
    return 0;
  }
  const std::string aside = counter_.path() + ".damaged";
  (void)::rename(counter_.path().c_str(), aside.c_str());
  log.Warn(
      "the number of the last eviction is damaged; the agent takes it from the files of past "
      "evictions",
      {{"file", aside}});
  return 0;
}

void EvictionHistory::Reserve() {
  std::optional<Error> failure;
  if (const auto filled = drafts_.Refill(); !filled) failure = filled.error();
  Complain(unreserved_, failure,
           "no disk space can be reserved for explanations of evictions; they cannot be written if "
           "the disk is full");
}

// Reserves numbers before they run out, so that no eviction waits for the disk.
void EvictionHistory::KeepCounterAhead() {
  std::uint64_t last = 0;
  {
    const std::lock_guard lock(mutex_);
    last = last_number_;
  }
  if (counted_to_ >= last + kCountedAhead / 2) return;
  if (counter_.Write(last + kCountedAhead)) counted_to_ = last + kCountedAhead;
}

void EvictionHistory::Complain(bool& complained, const std::optional<Error>& failure,
                               std::string_view message) {
  if (failure && !complained) complaints_.Put({std::string(message), failure->message});
  complained = failure.has_value();
}

void EvictionHistory::Retry() {
  {
    const std::lock_guard lock(mutex_);
    if (unwritten_.empty()) return;
  }
  writer_->Do([this] { WriteAll(); });
}

std::string EvictionHistory::PathOf(std::uint64_t number) const {
  return settings_.folder + "/" + EvictionId(number) + std::string(kSuffix);
}

void EvictionHistory::ReadFolder(const Log& log) {
  const auto names = kernel::NamesIn(settings_.folder);
  if (!names) {
    log.Warn("past evictions cannot be read", {{"err", names.error().message}});
    return;
  }
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : *names) {
    if (const std::uint64_t number = NumberOf(name); number > 0) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  if (numbers.empty()) return;
  last_number_ = std::max(last_number_, numbers.back());
  const std::size_t old = numbers.size() - std::min(numbers.size(), settings_.max_evictions);
  fallen_out_.assign(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(old));
  numbers.erase(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(old));
  for (const std::uint64_t number : numbers) {
    auto kept = ReadKept(PathOf(number), number);
    if (kept) {
      Put(*std::move(kept));
    } else {
      log.Warn("the file of a past eviction is damaged and is ignored",
               {{"file", PathOf(number)}, {"err", kept.error().message}});
    }
  }
  unwritten_.clear();
}

void EvictionHistory::Add(std::shared_ptr<const RecordedPass> pass) {
  {
    const std::lock_guard lock(mutex_);
    unexplained_.push_back(std::move(pass));
    if (unexplained_.size() > kMaxWaiting) unexplained_.pop_front();
  }
  explainer_->Do([this] {
    ExplainAll();
    writer_->Do([this] { WriteAll(); });
  });
}

std::shared_ptr<const KeptEvictions> EvictionHistory::Evictions() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

void EvictionHistory::ExplainAll() {
  for (;;) {
    std::shared_ptr<const RecordedPass> pass;
    {
      const std::lock_guard lock(mutex_);
      if (unexplained_.empty()) return;
      pass = std::move(unexplained_.front());
      unexplained_.pop_front();
    }
    for (const EvictionRecord& eviction : pass->report.evictions) {
      Keep(*pass, eviction.order.pod_uid);
    }
  }
}

void EvictionHistory::Keep(const RecordedPass& pass, const std::string& uid) {
  std::uint64_t number = 0;
  std::shared_ptr<const KeptEviction> last;
  {
    const std::lock_guard lock(mutex_);
    number = last_number_ + 1;
    if (!kept_->empty()) last = kept_->back();
  }
  KeptEviction kept = KeepEviction(pass, uid, number,
                                   {.dry_run = settings_.dry_run,
                                    .memory_estimator = settings_.memory_estimator,
                                    .order_limit = settings_.order_limit});
  const bool again = settings_.dry_run && last && last->dry_run && last->pod.uid == uid &&
                     last->signal == kept.signal;
  if (!again) Put(std::move(kept));
}

void EvictionHistory::Put(KeptEviction kept) {
  const std::lock_guard lock(mutex_);
  last_number_ = std::max(last_number_, kept.number);
  auto list = std::make_shared<KeptEvictions>(*kept_);
  list->push_back(std::make_shared<const KeptEviction>(std::move(kept)));
  unwritten_.push_back(list->back());
  const auto end = list->begin() + static_cast<std::ptrdiff_t>(CountBeyond(*list, settings_));
  for (auto each = list->begin(); each != end; ++each) fallen_out_.push_back((*each)->number);
  list->erase(list->begin(), end);
  kept_ = std::move(list);
}

void EvictionHistory::WriteAll() {
  KeptEvictions unwritten;
  std::vector<std::uint64_t> fallen_out;
  {
    const std::lock_guard lock(mutex_);
    unwritten.swap(unwritten_);
    fallen_out.swap(fallen_out_);
  }
  if (settings_.folder.empty()) return;
  constexpr unsigned kMode = 0750;
  std::optional<Error> failure;
  KeptEvictions failed;
  const auto made = kernel::MakeFolders(settings_.folder, kMode).and_then([&] {
    return kernel::MakeFolders(settings_.folder + ".reserve", kMode);
  });
  KeepCounterAhead();
  for (const auto& kept : unwritten) {
    auto written = made.and_then([&] { return drafts_.Put(PathOf(kept->number), kept->json); });
    if (written) continue;
    failure = written.error();
    failed.push_back(kept);
  }
  for (const std::uint64_t number : fallen_out) ::unlink(PathOf(number).c_str());
  Complain(unwritable_, failure,
           "the explanation of an eviction cannot be written; it is lost if the agent restarts");
  PutBack(failed);
  Reserve();
}

// Evictions that were dropped from the history since are not put back.
void EvictionHistory::PutBack(const KeptEvictions& failed) {
  if (failed.empty()) return;
  const std::lock_guard lock(mutex_);
  const std::uint64_t oldest = kept_->empty() ? 0 : kept_->front()->number;
  KeptEvictions again;
  for (const auto& kept : failed) {
    if (kept->number >= oldest) again.push_back(kept);
  }
  unwritten_.insert(unwritten_.begin(), again.begin(), again.end());
}

void EvictionHistory::LogComplaints() {
  for (const Complaint& complaint : complaints_.TakeAll()) {
    log_.Warn(complaint.message, {{"err", complaint.error}});
  }
}

}  // namespace jettison
