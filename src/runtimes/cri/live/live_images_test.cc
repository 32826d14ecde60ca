#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "kernel/mounts/mount_info.h"
#include "runtimes/cri/images/image_store.h"
#include "runtimes/cri/test_bed/containerd_remains.h"
#include "runtimes/cri/test_bed/live_containerd.h"

namespace jettison::cri {
namespace {

using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr Duration kDeadline = seconds(30);

class LiveBed : public ::testing::Test {
 protected:
  void StartBed(LiveContainerdOptions options = {}) {
    auto bed = LiveContainerd::Start(std::move(options));
    ASSERT_TRUE(bed) << bed.error().message;
    bed_ = *std::move(bed);
  }
  void SetUp() override {
    if (const auto obstacle = LiveContainerd::Obstacle()) GTEST_SKIP() << *obstacle;
  }
  void TearDown() override {
    if (!bed_) return;
    const std::string folder = bed_->folder();
    const std::string group = bed_->group();
    bed_.reset();
    EXPECT_THAT(ProcessesOf(folder), IsEmpty());
    EXPECT_THAT(kernel::MountsBelow(folder), IsEmpty());
    EXPECT_THAT(GroupsNamed(group), IsEmpty());
    EXPECT_FALSE(std::filesystem::exists(folder));
  }

  // A pod on the host's network with one running container; gives the container's ID.
  std::string Run(const std::string& name, const std::string& image) {
    api::RunPodSandboxRequest sandbox;
    api::PodSandboxConfig& config = *sandbox.mutable_config();
    config.mutable_metadata()->set_name(name);
    config.mutable_metadata()->set_uid(name);
    config.mutable_metadata()->set_namespace_("default");
    config.mutable_linux()->set_cgroup_parent("/" + bed_->group() + "/pod" + name);
    config.mutable_linux()->mutable_security_context()->mutable_namespace_options()->set_network(
        api::NODE);
    const auto ran = bed_->Await<api::RunPodSandboxResponse>([&](auto answer) {
      bed_->calls().Make(kRunPodSandbox, sandbox, kDeadline, std::move(answer));
    });
    if (!ran) return ran.error().message;

    api::CreateContainerRequest container;
    container.set_pod_sandbox_id(ran->pod_sandbox_id());
    *container.mutable_sandbox_config() = config;
    container.mutable_config()->mutable_metadata()->set_name("app");
    container.mutable_config()->mutable_image()->set_image(image);
    const auto created = bed_->Await<api::CreateContainerResponse>([&](auto answer) {
      bed_->calls().Make(kCreateContainer, container, kDeadline, std::move(answer));
    });
    if (!created) return created.error().message;

    api::StartContainerRequest start;
    start.set_container_id(created->container_id());
    const auto started = bed_->Await<api::StartContainerResponse>([&](auto answer) {
      bed_->calls().Make(kStartContainer, start, kDeadline, std::move(answer));
    });
    return started ? created->container_id() : started.error().message;
  }

  std::unique_ptr<LiveContainerd> bed_;
};

// The bytes of the files below a folder; files that vanish meanwhile do not count.
std::uintmax_t SizeOf(const std::string& folder) {
  std::uintmax_t sum = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code vanished;
    const std::uintmax_t size = at->is_regular_file(vanished) ? at->file_size(vanished) : 0;
    if (!vanished) sum += size;
  }
  return sum;
}

class LiveCriImageStoreTest : public LiveBed {
 protected:
  CriImageStore::Listing List() {
    return bed_
        ->Await<CriImageStore::Listing>([&](auto answer) { store_->List(std::move(answer)); })
        .value();
  }
  std::string IdOf(const std::string& reference) {
    for (const StoredImage& image : List().first) {
      if (std::ranges::find(image.references, reference) != image.references.end()) return image.id;
    }
    return {};
  }

  std::unique_ptr<CriImageStore> store_;
};

TEST_F(LiveCriImageStoreTest, TellsWhatIsInUseAndRemovesTheRest) {
  constexpr std::size_t kPadding = 5'000'000;
  StartBed({.images = {{.reference = "bed.local/unused:1", .padding_bytes = kPadding}}});
  store_ = std::make_unique<CriImageStore>(bed_->calls());
  Run("a", LiveContainerd::kTestImage);

  const CriImageStore::Listing before = List();
  EXPECT_EQ(before.first.size(), 3U);
  EXPECT_THAT(before.second.ids, UnorderedElementsAre(IdOf(LiveContainerd::kPauseImage),
                                                      IdOf(LiveContainerd::kTestImage)));
  const std::string unused = IdOf("bed.local/unused:1");
  ASSERT_NE(unused, "");
  const auto listed = std::ranges::find(before.first, unused, &StoredImage::id);
  EXPECT_GE(listed->size_bytes, kPadding);

  const std::uintmax_t size = SizeOf(bed_->root());

  for (int time = 0; time < 2; ++time) {  // the second time, it is gone already
    const auto removed = bed_->Await<bool>([&](const Answer<bool>& answer) {
      store_->Remove(unused, [answer](const Result<void>& given) { answer(given.has_value()); });
    });
    EXPECT_TRUE(removed.value());
  }
  EXPECT_EQ(List().first.size(), 2U);
  EXPECT_EQ(IdOf("bed.local/unused:1"), "");
  // Both the layer as it was fetched and its unpacked files; containerd may free them later.
  const auto end = std::chrono::steady_clock::now() + seconds(30);
  while (SizeOf(bed_->root()) + 2 * kPadding > size && std::chrono::steady_clock::now() < end) {
    ::poll(nullptr, 0, 10);
  }
  EXPECT_LE(SizeOf(bed_->root()) + 2 * kPadding, size);
}

}  // namespace
}  // namespace jettison::cri
