#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "agent/dependencies/dependencies.h"
#include "core/model/summary.h"
#include "core/units/duration.h"
#include "ports/clock.h"

namespace jettison {

class ImageCollector;  // agent/reclaim/image_collector.h

// Determines when the space of removed files is free, because a runtime answers before it has
// deleted them. The caller looks every 200 ms, until no file system of the node has gained bytes or
// inodes for a second, or 10 s have passed.
class SpaceSettling {
 public:
  // `before`: the figures before the removal.
  SpaceSettling(const NodeStats& before, Instant now);

  // Takes the figures of this moment; whether it is over.
  [[nodiscard]] bool Look(const NodeStats& stats, Instant now);
  // When to look next.
  [[nodiscard]] Instant next_look() const { return next_look_; }
  // What the image file system has gained since before, in bytes. Absent where it could not be
  // measured; others may write meanwhile, so it is no exact figure.
  [[nodiscard]] std::optional<std::uint64_t> freed_bytes() const;

 private:
  // Available bytes and free inodes of nodefs, imagefs and containerfs; absent: not measured.
  using Space = std::array<std::optional<std::uint64_t>, 6>;
  [[nodiscard]] static Space SpaceOf(const NodeStats& stats);

  std::optional<std::uint64_t> image_bytes_before_;
  std::optional<std::uint64_t> image_bytes_;
  Space most_;
  Instant gained_at_;
  Instant give_up_at_;
  Instant next_look_;
};

// What a reclaimer works with; everything must outlive it.
struct ReclaimerDependencies {
  const Clock& clock;
  Figures& figures;
  ImageCollector* images;  // null: there are none to delete
  // Deletes the dead containers that the policy does not keep, including those of ended pods.
  // Returns how many the runtime was told to delete; it may delete them later. Null: none is
  // deleted.
  std::function<std::size_t()> delete_dead_containers;
  // Whether containers or pods are being removed, which frees space, too.
  std::function<bool()> is_removing;
};

// Deletes dead containers and, when their space is free, unused images, on a runtime that works in
// the background. A step that is not over after a minute has failed: its work continues, but the
// pass no longer waits for it. Also drives the image collector, with its periodic collection.
class Reclaimer : public LastingReclaimer {
 public:
  explicit Reclaimer(ReclaimerDependencies dependencies) : dependencies_(std::move(dependencies)) {}

  [[nodiscard]] Result<ReclaimProgress> DeleteDeadContainers() override;
  [[nodiscard]] Result<ReclaimProgress> DeleteUnusedImages() override;
  void Advance(Instant now) override;
  [[nodiscard]] std::optional<Instant> NextDeadline() const override;
  [[nodiscard]] bool UnderWay() const override;
  void Forget() override;
  [[nodiscard]] std::uint64_t ContainerBytes() const override { return container_bytes_; }

 private:
  enum class Stage : std::uint8_t { kIdle, kWanted, kUnderWay, kDone };
  struct Step {
    Stage stage = Stage::kIdle;
    Instant give_up_at;    // while it is under way
    Result<void> outcome;  // when it is done
    [[nodiscard]] bool Pending() const {
      return stage == Stage::kWanted || stage == Stage::kUnderWay;
    }
    void End(Result<void> how);
    [[nodiscard]] Result<ReclaimProgress> Answer() const;
  };
  void StartImages(Instant now);
  void AdvanceContainers(Instant now);
  void AdvanceImages(Instant now);

  ReclaimerDependencies dependencies_;
  Step containers_;
  Step images_;
  std::optional<SpaceSettling> settling_;  // of the containers' space
  std::uint64_t container_bytes_ = 0;
};

}  // namespace jettison
