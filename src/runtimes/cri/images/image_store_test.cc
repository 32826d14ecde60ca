#include "runtimes/cri/images/image_store.h"

#include <gmock/gmock.h>

#include <chrono>
#include <limits>

#include "rpc/fake_calls.h"

namespace jettison::cri {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

api::Image Image(const std::string& id, const std::string& tag, std::uint64_t size = 1) {
  api::Image image;
  image.set_id(id);
  image.add_repo_tags(tag);
  image.add_repo_digests(tag.substr(0, tag.find(':')) + "@" + id);
  image.set_size(size);
  return image;
}

class CriImageStoreTest : public ::testing::Test {
 protected:
  CriImageStoreTest() : store_(std::make_unique<CriImageStore>(calls_)) {
    calls_.on_list_images = [this](const auto&) { return images_; };
    calls_.on_list_containers = [this](const auto&) { return containers_; };
    calls_.on_container_status = [this](const api::ContainerStatusRequest& request) {
      return mounts_.contains(request.container_id()) ? mounts_[request.container_id()]
                                                      : api::ContainerStatusResponse();
    };
    calls_.on_status = [this](const api::StatusRequest& request) {
      EXPECT_TRUE(request.verbose());
      return status_;
    };
    calls_.on_remove_image = [](const auto&) { return api::RemoveImageResponse(); };
  }
  void AddContainer(const std::string& image_ref, const std::string& image) {
    api::Container& container = *containers_.add_containers();
    container.set_id("c" + std::to_string(containers_.containers_size()));
    container.set_image_ref(image_ref);
    container.mutable_image()->set_image(image);
    container.set_state(api::CONTAINER_EXITED);
  }
  void SetSandboxImage(const std::string& name) {
    (*status_.mutable_info())["config"] = R"({"containerd":{},"sandboxImage":")" + name + R"("})";
  }
  Result<CriImageStore::Listing> List() {
    std::optional<Result<CriImageStore::Listing>> listing;
    store_->List([&](auto given) { listing = std::move(given); });
    EXPECT_FALSE(listing);
    calls_.Deliver();
    return listing.value_or(Fail(ErrorCode::kInternal, "no answer"));
  }
  std::vector<std::string> InUse() { return List().value().second.ids; }
  Result<StorageFolders> Folders() {
    std::optional<Result<StorageFolders>> folders;
    store_->Folders([&](auto given) { folders = std::move(given); });
    EXPECT_FALSE(folders) << "nothing is waited for";
    calls_.Deliver();
    return folders.value_or(Fail(ErrorCode::kInternal, "no answer"));
  }
  Result<void> Remove(const std::string& id) {
    std::optional<Result<void>> removed;
    store_->Remove(id, [&](auto given) { removed = std::move(given); });
    calls_.Deliver();
    return removed.value_or(Fail(ErrorCode::kInternal, "no answer"));
  }

  FakeCalls calls_;
  api::ListImagesResponse images_;
  api::ListContainersResponse containers_;
  std::map<std::string, Result<api::ContainerStatusResponse>> mounts_;  // by container
  api::StatusResponse status_;
  std::unique_ptr<CriImageStore> store_;
};

TEST_F(CriImageStoreTest, TheFoldersAreThoseOfTheFirstFileSystemsNamed) {
  calls_.on_image_fs_info = [](const auto&) {
    api::ImageFsInfoResponse response;
    response.add_image_filesystems();
    response.add_image_filesystems()->mutable_fs_id()->set_mountpoint("/images/overlayfs");
    return response;
  };
  EXPECT_EQ(Folders(), (StorageFolders{.images = "/images/overlayfs", .containers = ""}));
  calls_.on_image_fs_info = [](const auto&) {
    api::ImageFsInfoResponse response;
    response.add_image_filesystems()->mutable_fs_id()->set_mountpoint("/images");
    response.add_container_filesystems()->mutable_fs_id()->set_mountpoint("/layers");
    response.add_container_filesystems()->mutable_fs_id()->set_mountpoint("/other");
    return response;
  };
  EXPECT_EQ(Folders(), (StorageFolders{.images = "/images", .containers = "/layers"}));
  calls_.on_image_fs_info = [](const auto&) {
    api::ImageFsInfoResponse response;
    response.add_container_filesystems()->mutable_fs_id()->set_mountpoint("/layers");
    return response;
  };
  EXPECT_EQ(Folders().error().code, ErrorCode::kNotFound);
}

// (kubelet 1.36) Whether the runtime names it by its ID or otherwise.
TEST_F(CriImageStoreTest, AnImageThatAContainerMountsIsInUse) {
  for (const char* id : {"sha256:a", "sha256:b", "sha256:v", "sha256:w"}) {
    *images_.add_images() = Image(id, "reg/" + std::string(id + 7) + ":1");
  }
  AddContainer("sha256:a", "reg/a:1");
  AddContainer("sha256:a", "reg/a:1");
  api::ContainerStatusResponse status;
  status.mutable_status()->add_mounts()->set_host_path("/srv");
  status.mutable_status()->add_mounts()->mutable_image()->set_image("sha256:v");
  status.mutable_status()->add_mounts()->mutable_image()->set_image("reg/w:1");
  mounts_["c2"] = status;
  EXPECT_THAT(InUse(), ElementsAre("sha256:a", "sha256:v", "sha256:w"));
}

TEST_F(CriImageStoreTest, AContainerThatVanishedMountsNothingAndOneThatIsNotKnownFailsTheListing) {
  *images_.add_images() = Image("sha256:a", "reg/a:1");
  AddContainer("sha256:a", "reg/a:1");
  mounts_["c1"] = Fail(ErrorCode::kNotFound, "gone");
  EXPECT_THAT(InUse(), ElementsAre("sha256:a"));
  mounts_["c1"] = Fail(ErrorCode::kInternal, "its state is lost");
  EXPECT_EQ(List().error().message, "its state is lost");
}

TEST_F(CriImageStoreTest, ANameThatNoImageBearsIsAskedFor) {
  *images_.add_images() = Image("sha256:p", "docker.io/library/pause:latest");
  SetSandboxImage("pause");
  calls_.on_image_status = [](const api::ImageStatusRequest& request) {
    EXPECT_EQ(request.image().image(), "pause");
    api::ImageStatusResponse response;
    *response.mutable_image() = Image("sha256:p", "docker.io/library/pause:latest");
    return response;
  };
  EXPECT_THAT(InUse(), ElementsAre("sha256:p"));
}

TEST_F(CriImageStoreTest, AnyFailureFailsTheListing) {
  const Error error{ErrorCode::kUnavailable, "no runtime"};
  *images_.add_images() = Image("sha256:a", "reg/a:1");
  AddContainer("sha256:other", "reg/other:1");
  calls_.on_image_status = [&](const auto&) -> Result<api::ImageStatusResponse> {
    return Fail(error);
  };
  EXPECT_EQ(List().error(), error);
  calls_.on_status = [&](const auto&) -> Result<api::StatusResponse> { return Fail(error); };
  EXPECT_EQ(List().error(), error);
  containers_.clear_containers();
  EXPECT_EQ(List().error(), error);
}

TEST_F(CriImageStoreTest, RemovesByIdAndOneThatIsGoneIsNoError) {
  EXPECT_TRUE(Remove("sha256:a"));
  EXPECT_THAT(calls_.TakeCalls(), ElementsAre("RemoveImage sha256:a"));
  calls_.on_remove_image = [](const auto&) -> Result<api::RemoveImageResponse> {
    return Fail(ErrorCode::kNotFound, "gone");
  };
  EXPECT_TRUE(Remove("sha256:a"));
  calls_.on_remove_image = [](const auto&) -> Result<api::RemoveImageResponse> {
    return Fail(ErrorCode::kInternal, "busy");
  };
  EXPECT_EQ(Remove("sha256:a").error().message, "busy");
}

}  // namespace
}  // namespace jettison::cri
