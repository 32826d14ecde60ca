#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel/readiness/lifetime.h"
#include "ports/image_store.h"
#include "rpc/calls.h"

namespace jettison::cri {

// The images of a CRI runtime. The images in use are those of all containers, including ended ones,
// those that containers mount as volumes, and the image of the sandboxes, where the runtime reports
// it (containerd does, in the verbose Status). A name in use that the runtime does not know stays
// in the result unchanged.
class CriImageStore : public ImageStore {
 public:
  using Listing = std::pair<std::vector<StoredImage>, ImagesInUse>;

  // `calls` must outlive this. Answers that come after the end of this object are dropped.
  explicit CriImageStore(Calls& calls) : calls_(calls) {}

  // The first file system that the runtime names of images, and of containers; few tell the latter
  // (since CRI of Kubernetes 1.29). Fails where it names none of images, or does not answer within
  // five seconds.
  void Folders(std::function<void(Result<StorageFolders>)> answer) override;
  void List(std::function<void(Result<Listing>)> answer) override;
  void Remove(const std::string& id, std::function<void(Result<void>)> answer) override;

 private:
  struct Look;

  // Notes one answer of a look; the last of its round continues it.
  template <typename Response>
  Answer<Response> Into(const std::shared_ptr<Look>& look, Response Look::*field);
  void Continue(const std::shared_ptr<Look>& look);
  // Asks the runtime which images a container mounts.
  void AskMounts(const std::shared_ptr<Look>& look, const std::string& id);
  // Asks the runtime what a name stands for that no listed image bears.
  void Resolve(const std::shared_ptr<Look>& look, const std::string& name);

  Calls& calls_;
  Lifetime lifetime_;
};

}  // namespace jettison::cri
