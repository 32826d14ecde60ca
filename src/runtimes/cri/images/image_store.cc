#include "runtimes/cri/images/image_store.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "rpc/verbose_info.h"

namespace jettison::cri {
namespace {

// A listing is up to three rounds of calls; the agent waits for it for 30 s and for a removal for 2
// min.
constexpr Duration kLookDeadline = std::chrono::seconds(14);
constexpr Duration kRemoveDeadline = std::chrono::seconds(110);
constexpr Duration kFolderDeadline = std::chrono::seconds(5);

StoredImage FromApi(const api::Image& image) {
  StoredImage stored{.id = image.id(), .size_bytes = image.size(), .pinned = image.pinned()};
  stored.references.assign(image.repo_tags().begin(), image.repo_tags().end());
  stored.references.insert(stored.references.end(), image.repo_digests().begin(),
                           image.repo_digests().end());
  return stored;
}

// The image that containerd makes sandboxes of. Empty: not told.
std::string SandboxImageIn(const api::StatusResponse& status) {
  const auto config = status.info().find("config");
  return config == status.info().end() ? "" : SettingsIn(config->second).sandbox_image;
}

// Every name under which an image is listed -> its ID.
using Names = std::map<std::string, std::string, std::less<>>;

Names NamesOf(const std::vector<StoredImage>& images) {
  Names names;
  for (const StoredImage& image : images) {
    names.emplace(image.id, image.id);
    for (const std::string& reference : image.references) names.emplace(reference, image.id);
  }
  return names;
}

// The path of the first file system with a path; empty: there is none.
template <typename Usages>
std::string FirstPlace(const Usages& usages) {
  for (const api::FilesystemUsage& usage : usages) {
    if (usage.fs_id().mountpoint().starts_with('/')) return usage.fs_id().mountpoint();
  }
  return {};
}

Result<StorageFolders> FoldersIn(const api::ImageFsInfoResponse& info) {
  StorageFolders folders{.images = FirstPlace(info.image_filesystems()),
                         .containers = FirstPlace(info.container_filesystems())};
  if (!folders.images.empty()) return folders;
  return Fail(ErrorCode::kNotFound, "the runtime names no file system of its images");
}

// The name of a container's image: the reference that the runtime resolved when it made the
// container. The name in the configuration may refer to a different image by now.
const std::string& NameOf(const api::Container& container) {
  return container.image_ref().empty() ? container.image().image() : container.image_ref();
}

}  // namespace

// One listing that is under way.
struct CriImageStore::Look {
  std::function<void(Result<Listing>)> answer;
  int waiting = 0;  // calls of this round without an answer
  std::optional<Error> error;
  api::ListImagesResponse images;
  api::ListContainersResponse containers;
  api::StatusResponse status;
  bool has_asked_mounts = false;  // the second round has begun
  std::set<std::string> mounted;  // names of images
  bool resolved = false;          // the third round is over or not needed
  std::set<std::string> in_use;
};

template <typename Response>
Answer<Response> CriImageStore::Into(const std::shared_ptr<Look>& look, Response Look::*field) {
  ++look->waiting;
  return lifetime_.Guard([this, look, field](Result<Response> response) {
    if (response) {
      (*look).*field = *std::move(response);
    } else if (!look->error) {
      look->error = std::move(response.error());
    }
    if (--look->waiting == 0) Continue(look);
  });
}

void CriImageStore::Folders(std::function<void(Result<StorageFolders>)> answer) {
  calls_.Make(
      kImageFsInfo, {}, kFolderDeadline,
      lifetime_.Guard([answer = std::move(answer)](const Result<api::ImageFsInfoResponse>& info) {
        answer(info ? FoldersIn(*info) : Fail(info.error()));
      }));
}

void CriImageStore::List(std::function<void(Result<Listing>)> answer) {
  const auto look = std::make_shared<Look>();
  look->answer = std::move(answer);
  api::StatusRequest verbose;
  verbose.set_verbose(true);
  calls_.Make(kListImages, {}, kLookDeadline, Into(look, &Look::images));
  calls_.Make(kListContainers, {}, kLookDeadline, Into(look, &Look::containers));
  calls_.Make(kStatus, verbose, kLookDeadline, Into(look, &Look::status));
}

void CriImageStore::Continue(const std::shared_ptr<Look>& look) {
  if (look->error) return look->answer(Fail(*look->error));
  if (!std::exchange(look->has_asked_mounts, true)) {
    for (const api::Container& container : look->containers.containers()) {
      AskMounts(look, container.id());
    }
    if (look->waiting > 0) return;
  }
  Listing listing;
  for (const api::Image& image : look->images.images()) listing.first.push_back(FromApi(image));
  if (!look->resolved) {
    look->resolved = true;
    std::set<std::string> used = look->mounted;
    for (const api::Container& container : look->containers.containers()) {
      used.insert(NameOf(container));
    }
    used.insert(SandboxImageIn(look->status));
    used.erase("");
    const Names names = NamesOf(listing.first);
    for (const std::string& name : used) {
      const auto named = names.find(name);
      if (named == names.end()) {
        Resolve(look, name);
      } else {
        look->in_use.insert(named->second);
      }
    }
    if (look->waiting > 0) return;
  }
  listing.second.ids.assign(look->in_use.begin(), look->in_use.end());
  look->answer(std::move(listing));
}

// (kubelet 1.36: realImageGCManager.handleImageVolumes)
void CriImageStore::AskMounts(const std::shared_ptr<Look>& look, const std::string& id) {
  ++look->waiting;
  api::ContainerStatusRequest request;
  request.set_container_id(id);
  calls_.Make(kContainerStatus, request, kLookDeadline,
              lifetime_.Guard([this, look](const Result<api::ContainerStatusResponse>& response) {
                if (response) {
                  for (const api::Mount& mount : response->status().mounts()) {
                    look->mounted.insert(mount.image().image());
                  }
                } else if (response.error().code != ErrorCode::kNotFound && !look->error) {
                  look->error = response.error();
                }
                if (--look->waiting == 0) Continue(look);
              }));
}

void CriImageStore::Resolve(const std::shared_ptr<Look>& look, const std::string& name) {
  ++look->waiting;
  api::ImageStatusRequest request;
  request.mutable_image()->set_image(name);
  calls_.Make(kImageStatus, request, kLookDeadline,
              lifetime_.Guard([this, look, name](const Result<api::ImageStatusResponse>& response) {
                if (response && response->has_image()) {
                  look->in_use.insert(response->image().id());
                } else if (response || response.error().code == ErrorCode::kNotFound) {
                  look->in_use.insert(name);
                } else if (!look->error) {
                  look->error = response.error();
                }
                if (--look->waiting == 0) Continue(look);
              }));
}

void CriImageStore::Remove(const std::string& id, std::function<void(Result<void>)> answer) {
  api::RemoveImageRequest request;
  request.mutable_image()->set_image(id);
  calls_.Make(kRemoveImage, request, kRemoveDeadline,
              lifetime_.Guard(
                  [answer = std::move(answer)](const Result<api::RemoveImageResponse>& response) {
                    if (!response && response.error().code != ErrorCode::kNotFound) {
                      return answer(Fail(response.error()));
                    }
                    answer({});
                  }));
}

}  // namespace jettison::cri
