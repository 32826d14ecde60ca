#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <fstream>

#include "agent/figures/file_systems.h"
#include "agent/figures/stats_collector.h"
#include "agent/figures/testing/live_disks.h"
#include "agent/passes/node.h"
#include "agent/pods/testing/wanted_pods.h"
#include "agent/reclaim/image_collector.h"
#include "agent/reclaim/reclaimer.h"
#include "core/thresholds/threshold_settings.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_runtime.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Images that are files in a folder. Like a runtime, it answers first and deletes half a second
// later.
class FolderImageStore : public ImageStore {
 public:
  FolderImageStore(std::string folder, const Clock& clock)
      : folder_(std::move(folder)), clock_(clock) {}

  void Folders(std::function<void(Result<StorageFolders>)> answer) override {
    answer(StorageFolders{.images = folder_, .containers = ""});
  }
  void List(std::function<void(Result<std::pair<std::vector<StoredImage>, ImagesInUse>>)> answer)
      override {
    std::pair<std::vector<StoredImage>, ImagesInUse> listing;
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
      listing.first.push_back({.id = file.path().filename(), .size_bytes = file.file_size()});
    }
    listing.second.ids = in_use;
    answers_.emplace_back([=] { answer(listing); });
  }
  void Remove(const std::string& id, std::function<void(Result<void>)> answer) override {
    doomed_.emplace_back(clock_.Now() + milliseconds(500), folder_ + "/" + id);
    answers_.emplace_back([=] { answer({}); });
  }
  void Deliver() {
    while (!answers_.empty()) {
      const auto answer = std::move(answers_.front());
      answers_.pop_front();
      answer();
    }
    while (!doomed_.empty() && doomed_.front().first <= clock_.Now()) {
      std::filesystem::remove(doomed_.front().second);
      doomed_.pop_front();
    }
  }

  std::vector<std::string> in_use;

 private:
  std::string folder_;
  const Clock& clock_;
  std::deque<std::function<void()>> answers_;
  std::deque<std::pair<Instant, std::string>> doomed_;
};

class OwedWalks : public DiskWalks {
 public:
  void Start(std::span<const PodFacts* const>, bool) override { owed = true; }
  void SetUrgent(bool) override {}
  DiskUse LastKnown() override { return {}; }
  std::optional<Instant> UnreadUntil() override { return std::nullopt; }
  void Forget(const std::string&) override {}
  bool owed = false;
};

void Write(const std::string& path, std::uint64_t bytes) {
  std::ofstream(path) << std::string(bytes, 'x');
}

// A node on real file systems with one pod, "app", that occupies disk; hard thresholds of 1 MiB on
// nodefs and imagefs. Time is stepped.
class Bed {
 public:
  explicit Bed(DiskPlaces places)
      : places_(std::move(places)), survey_(SurveyDisks(places_)), store_(places_.images, clock_) {
    figures_.SetDisks(survey_.image_fs, survey_.container_fs);
    node_.SetLayout(survey_.layout,
                    ThresholdsFor({Hard(Signal::kNodeFsAvailable), Hard(Signal::kImageFsAvailable)},
                                  survey_.layout));
    Pod pod;
    pod.name = "app";
    pod.uid = "app";
    pod.containers.emplace_back().name = "c";
    node_.Begin();
    pods_.SetWanted(WantedPods({pod}), clock_.Now());
    Pass(seconds(1));
    runtime_.TakeCommands();
  }
  [[nodiscard]] DiskLayout layout() const { return survey_.layout; }
  // The writable layer of a dead container; the runtime deletes it when it is told to.
  void AddDeadContainer(std::uint64_t bytes) { Write(places_.containers + "/dead", bytes); }
  void AddImage(const std::string& id, std::uint64_t bytes) {
    Write(places_.images + "/" + id, bytes);
  }
  void UseImage(const std::string& id) { store_.in_use = {id}; }
  // Until the images have been listed and are old enough.
  void Settle() { Pass(minutes(8)); }
  void Pass(Duration time) {
    for (Duration done{0}; done < time; done += milliseconds(100)) {
      clock_.Advance(milliseconds(100));
      runtime_.SetNow(clock_.Now());
      // A walk takes one step of time.
      if (std::exchange(walks_.owed, false)) node_.DiskMeasured(Measured());
      node_.Advance();
      store_.Deliver();
      for (const RuntimeEvent& event : runtime_.TakeEvents()) pods_.Handle(event, clock_.Now());
    }
  }
  [[nodiscard]] bool HasImage(const std::string& id) const {
    return std::filesystem::exists(places_.images + "/" + id);
  }
  [[nodiscard]] bool HasDeadContainer() const {
    return std::filesystem::exists(places_.containers + "/dead");
  }
  [[nodiscard]] bool Evicted() { return !Stops().empty(); }
  [[nodiscard]] bool UnderPressure() const {
    return node_.state().conditions.Has(NodeConditionType::kDiskPressure);
  }

 private:
  static Threshold Hard(Signal signal) {
    return {.signal = signal, .value = Quantity::Of(static_cast<std::int64_t>(kDiskMi))};
  }
  DiskUse Measured() {
    DiskUse use;
    use["app"].measured_at = clock_.Now();
    use["app"].total = {.used_bytes = kDiskMi, .inodes_used = 1};
    use["app"].containers.push_back(
        {.name = "c", .rootfs = {.used_bytes = kDiskMi, .inodes_used = 1}, .logs = {}});
    return use;
  }
  std::vector<std::string> Stops() {
    for (std::string& command : runtime_.TakeCommands()) {
      if (command.starts_with("stop")) stops_.push_back(std::move(command));
    }
    return stops_;
  }

  DiskPlaces places_;
  DiskSurvey survey_;
  FakeClock clock_{Instant(std::chrono::hours(24))};
  Log log_{LogFormat::kText, clock_, [](std::string_view) {}};
  EventLog events_{log_, 100};
  FakeCgroups groups_;
  Procfs procfs_ = Procfs::Open().value();
  StatsCollector figures_{
      {.node = groups_, .pods = groups_, .procfs = procfs_, .node_fs = places_.node}, clock_, log_};
  FolderImageStore store_;
  ImageCollector collector_{{.policy = {.high_threshold_percent = 100}},
                            {.clock = clock_,
                             .images = store_,
                             .figures = figures_,
                             .events = events_,
                             .log = log_,
                             .needed = nullptr}};
  Reclaimer reclaimer_{
      {.clock = clock_,
       .figures = figures_,
       .images = &collector_,
       .delete_dead_containers =
           [this] { return std::size_t{std::filesystem::remove(places_.containers + "/dead")}; },
       .is_removing = [] { return false; }}};
  FakeRuntime runtime_;
  WorkerDependencies dependencies_{runtime_, events_, log_, 500 * kDiskMi};
  PodTable pods_{Profile::kStandalone, kComeBackRule, dependencies_};
  OwedWalks walks_;
  Node node_{
      {.policy = {.pressure_transition_period = seconds(30)}, .monitoring_interval = seconds(10)},
      {.clock = clock_,
       .figures = figures_,
       .disk_walks = walks_,
       .pods = pods_,
       .reclaimer = reclaimer_,
       .events = events_,
       .log = log_}};
  std::vector<std::string> stops_;
};

class LiveReclaim : public LiveDisks {
 protected:
  // All places on one file system.
  [[nodiscard]] DiskPlaces One() {
    MakeFolder("node/images");
    MakeFolder("node/layers");
    return {.node = Path("node"), .images = Path("node/images"), .containers = Path("node/layers")};
  }
  // Images and writable layers on a file system of their own.
  [[nodiscard]] DiskPlaces Dedicated() {
    MakeFolder("disk2/images");
    MakeFolder("disk2/layers");
    return {
        .node = Path("node"), .images = Path("disk2/images"), .containers = Path("disk2/layers")};
  }
  // Images on a file system of their own, writable layers on the node's.
  [[nodiscard]] DiskPlaces Split() {
    MakeFolder("node/layers");
    MakeFolder("disk2/images");
    return {
        .node = Path("node"), .images = Path("disk2/images"), .containers = Path("node/layers")};
  }
};

TEST_F(LiveReclaim, OnOneFileSystemContainersAndImagesGoBeforeAnyPod) {
  WithDisks([this] {
    Bed bed(One());
    EXPECT_EQ(bed.layout(), DiskLayout{});
    bed.AddImage("unused", kDiskMi);
    bed.AddDeadContainer(kDiskMi);
    bed.Settle();
    EXPECT_FALSE(bed.UnderPressure());
    Write(Path("node/log"), kDiskMi + kDiskMi / 2);
    bed.Pass(seconds(30));
    EXPECT_TRUE(bed.UnderPressure());
    EXPECT_FALSE(bed.HasImage("unused"));
    EXPECT_FALSE(bed.HasDeadContainer());
    EXPECT_FALSE(bed.Evicted());
  });
}

TEST_F(LiveReclaim, OnADedicatedImageFsImagesGoBeforeAnyPod) {
  WithDisks([this] {
    Bed bed(Dedicated());
    bed.AddImage("unused", 3 * kDiskMi);
    bed.AddImage("used", 2 * kDiskMi);
    bed.UseImage("used");
    bed.Settle();
    bed.AddDeadContainer(2 * kDiskMi + kDiskMi / 2);
    bed.Pass(seconds(30));
    EXPECT_TRUE(bed.UnderPressure());
    EXPECT_FALSE(bed.HasImage("unused"));
    EXPECT_TRUE(bed.HasImage("used"));
    EXPECT_FALSE(bed.HasDeadContainer());
    EXPECT_FALSE(bed.Evicted());
  });
}

TEST_F(LiveReclaim, OnADedicatedImageFsNothingIsReclaimedForNodefs) {
  WithDisks([this] {
    Bed bed(Dedicated());
    bed.AddImage("unused", kDiskMi);
    bed.Settle();
    Write(Path("node/log"), 3 * kDiskMi + kDiskMi / 2);
    bed.Pass(seconds(30));
    EXPECT_TRUE(bed.Evicted());
    EXPECT_TRUE(bed.HasImage("unused"));
  });
}

TEST_F(LiveReclaim, OnASplitDeadContainersGoForNodefsAndImagesStay) {
  WithDisks([this] {
    Bed bed(Split());
    bed.AddImage("unused", kDiskMi);
    bed.AddDeadContainer(kDiskMi);
    bed.Settle();
    Write(Path("node/log"), 2 * kDiskMi + kDiskMi / 2);
    bed.Pass(seconds(30));
    EXPECT_FALSE(bed.HasDeadContainer());
    EXPECT_TRUE(bed.HasImage("unused"));
    EXPECT_FALSE(bed.Evicted());
  });
}

TEST_F(LiveReclaim, OnASplitImagesGoForImagefsAndDeadContainersStay) {
  WithDisks([this] {
    Bed bed(Split());
    bed.AddImage("unused", 5 * kDiskMi);
    bed.AddDeadContainer(kDiskMi);
    bed.Settle();
    bed.AddImage("new", 2 * kDiskMi + kDiskMi / 2);
    bed.Pass(seconds(30));
    EXPECT_FALSE(bed.HasImage("unused"));
    EXPECT_TRUE(bed.HasImage("new")) << "younger than the minimum age";
    EXPECT_TRUE(bed.HasDeadContainer());
    EXPECT_FALSE(bed.Evicted());
  });
}

TEST_F(LiveReclaim, APodGoesWhereThereIsNotEnoughToReclaim) {
  WithDisks([this] {
    Bed bed(One());
    bed.AddImage("used", kDiskMi);
    bed.UseImage("used");
    bed.Settle();
    Write(Path("node/log"), 2 * kDiskMi + kDiskMi / 2);
    bed.Pass(seconds(30));
    EXPECT_TRUE(bed.HasImage("used"));
    EXPECT_TRUE(bed.Evicted());
  });
}

}  // namespace
}  // namespace jettison
